"""Planted secrets: an app gets them, and a whole run's record, its reports and the screen hold none of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import command
import pytest

from hopcost.record.secrets import MASK

pytestmark = pytest.mark.usefixtures("nothing_left")

# Answers with 200 only to one who has all of them.
SHOP = """
import http.server, os, sys
WANTED = {"Authorization": "Bearer planted-bearer", "Cookie": "theme=dark; session=planted-cookie",
          "X-Api-Key": "planted-api-key"}

class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        is_known = (
            all(self.headers[name] == value for name, value in WANTED.items())
            and self.path == "/?key=planted-query"
            and sys.argv[1:] == ["--password", "planted-word"]
            and os.environ["DATABASE_URL"] == "postgresql://app:planted-pass@127.0.0.1:5432/shop"
        )
        self.send_response(200 if is_known else 401)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok" if is_known else b"no")

    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Shop).serve_forever()
"""
BROKEN = 'echo "cannot connect to $DATABASE_URL"; echo "with $SHOP_TOKEN"; echo "secret_key = planted-again"; exit 1'
SUITE = """
name = "secrets"
title = "Secrets everywhere"
[apps.shop]
command = [PYTHON, "shop.py", "--password", "planted-word"]
environment = { DATABASE_URL = "postgresql://app:planted-pass@127.0.0.1:5432/shop" }
[apps.broken]
command = ["sh", "-c", SCRIPT]
environment = { DATABASE_URL = "postgresql://app:planted-pass@127.0.0.1:5432/shop", SHOP_TOKEN = "planted-token" }
[arms.shop]
hops = [{ program = "shop", link = "http+tcp" }]
[arms.again]
hops = [{ program = "shop", link = "http+tcp" }]
[arms.broken]
hops = [{ program = "broken", link = "http+tcp" }]
[[experiments]]
name = "open"
question = "Who tells?"
baseline = "shop"
arms = ["shop", "again", "broken"]
placement = "all-cores"
open_loop = false
[experiments.workload]
connections = 4
target = "/?key=planted-query"
headers = [
  ["Authorization", "Bearer planted-bearer"],
  ["Cookie", "theme=dark; session=planted-cookie"],
  ["X-Api-Key", "planted-api-key"],
]
"""
FORMATS = [["--details"], ["--format", "markdown", "--details"], ["--format", "csv"], ["--json"], ["--html"]]


def test_no_planted_secret_is_left_in_the_record_its_reports_or_on_the_screen(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    suite, record = tmp_path / "shop.toml", tmp_path / "record"
    suite.write_text(SUITE.replace("PYTHON", json.dumps(sys.executable)).replace("SCRIPT", json.dumps(BROKEN)))
    done = command.hopcost("run", suite, "--anyway", "--quick", "--time", 6, "--record", record)
    assert done.returncode == 1, "an arm failed"
    texts = {"the screen": done.stdout + done.stderr}
    for arm in ("shop", "broken"):
        shown = command.hopcost("show", f"{suite}/open/{arm}")
        assert shown.returncode == 0, shown.stderr
        texts[f"show {arm}"] = shown.stdout
    for words in FORMATS:
        reported = command.hopcost("report", record, *words, "-o", tmp_path / "report")
        assert reported.returncode == 0, reported.stderr
        texts[" ".join(words)] = (tmp_path / "report").read_text()
    texts |= {str(path.relative_to(record)): path.read_text() for path in record.rglob("*") if path.is_file()}
    planted = {name: [line for line in text.splitlines() if "planted-" in line] for name, text in texts.items()}
    assert {name: lines for name, lines in planted.items() if lines} == {}
    assert {"run.json", "suite.json", "plan.json", "blocks.jsonl", "stacks/open/shop/commands.json"} <= texts.keys()
    block = json.loads(texts["blocks.jsonl"].splitlines()[0])
    assert [arm["check"]["status"] for arm in block["arms"]] == [200, 200, 200], "the app got the true values"
    (failure,) = block["failures"]
    assert f"cannot connect to postgresql://app:{MASK}@127.0.0.1:5432/shop\nwith {MASK}\n" in failure["message"]
