"""Planted secrets: an app gets them, and a whole run's record, its reports and the screen hold none of them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import command
import pytest
from processes import small_apps
from processes.running import wait_until

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


ENVIRONMENT = {"DATABASE_URL": "postgresql://app:planted-pass@127.0.0.1:5432/shop"}
APP = [sys.executable, "shop.py", "--password", "planted-word"]
TARGET = "/?key=planted-query"
COOKIE = ["-H", "Cookie: theme=dark; session=planted-cookie"]
ASKED = ["-H", "Authorization: Bearer planted-bearer", *COOKIE, "-H", "X-Api-Key: planted-api-key"]
TOLD = [word for name, value in ENVIRONMENT.items() for word in ("--env", f"{name}={value}")]
NGINX = """
# password = planted-comment
events {}
http {
    map $http_x_tenant_token $tenant { default none; planted-map one; }
    server {
        listen 80;
        set $shop_token planted-token;
        location / {
            proxy_pass http://shop.internal:3000;
            proxy_set_header Authorization "Basic planted-basic";
            proxy_set_header X-Api-Key planted-api-key;
        }
    }
}
"""


def texts_of(record: Path) -> dict[str, str]:
    """All that a record holds, and all that is shown of it."""
    texts = {str(path.relative_to(record)): path.read_text() for path in record.rglob("*") if path.is_file()}
    for words in FORMATS:
        report = record.parent / "report"
        reported = command.hopcost("report", record, *words, "-o", report)
        assert reported.returncode == 0, reported.stderr
        texts[" ".join(words)] = report.read_text()
    return texts


def planted_in(texts: dict[str, str]) -> dict[str, list[str]]:
    """The lines with planted secrets, of the texts that have some."""
    planted = {name: [line for line in text.splitlines() if "planted-" in line] for name, text in texts.items()}
    return {name: lines for name, lines in planted.items() if lines}


def test_no_planted_secret_is_left_in_the_record_its_reports_or_on_the_screen(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    suite, record = tmp_path / "shop.toml", tmp_path / "record"
    suite.write_text(SUITE.replace("PYTHON", json.dumps(sys.executable)).replace("SCRIPT", json.dumps(BROKEN)))
    done = command.hopcost("run", suite, "--anyway", "--quick", "--time", 6, "--record", record)
    assert done.returncode == 1, "an arm failed"
    texts = texts_of(record) | {"the screen": done.stdout + done.stderr}
    for arm in ("shop", "broken"):
        shown = command.hopcost("show", f"{suite}/open/{arm}")
        assert shown.returncode == 0, shown.stderr
        texts[f"show {arm}"] = shown.stdout
    assert planted_in(texts) == {}
    assert {"run.json", "suite.json", "plan.json", "blocks.jsonl", "stacks/open/shop/commands.json"} <= texts.keys()
    block = json.loads(texts["blocks.jsonl"].splitlines()[0])
    assert [arm["check"]["status"] for arm in block["arms"]] == [200, 200, 200], "the app got the true values"
    (failure,) = block["failures"]
    assert f"cannot connect to postgresql://app:{MASK}@127.0.0.1:5432/shop\nwith {MASK}\n" in failure["message"]


@pytest.mark.timeout(240)
def test_nor_of_a_run_of_front(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    short = ("--anyway", "--quick", "--with", "nginx", "--connections", 4, "--time", "10s", "--record", "record")
    words = ("front", *short, "--path", TARGET, *ASKED, *TOLD, "--", *APP)
    done = command.hopcost(*words, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    texts = texts_of(tmp_path / "record") | {"the screen": done.stdout + done.stderr}
    assert planted_in(texts) == {}
    assert "--password '(mas" in texts["the screen"], "as a shell takes it, and as much as the title has room for"
    block = json.loads(texts["blocks.jsonl"].splitlines()[0])
    assert {arm["check"]["status"] for arm in block["arms"]} == {200}, "the app got the true values"


@pytest.mark.timeout(240)
def test_nor_of_a_run_of_vs(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    with running_shop(tmp_path) as first, running_shop(tmp_path) as second:
        urls = [f"http://127.0.0.1:{port}{TARGET}" for port in (first, second)]
        short = ("--anyway", "--time", 12, "-c", 4, "--record", "record")
        done = command.hopcost("vs", *urls, *ASKED, *short, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    texts = texts_of(tmp_path / "record") | {"the screen": done.stdout + done.stderr}
    assert planted_in(texts) == {}
    assert f":{first}/?key={MASK}" in texts["suite.json"]


@contextmanager
def running_shop(folder: Path) -> Iterator[int]:
    """The app as its user runs it: its port."""
    port = small_apps.free_port()
    with subprocess.Popen(APP, cwd=folder, env=os.environ | ENVIRONMENT | {"PORT": str(port)}) as process:
        try:
            assert wait_until(lambda: is_listening(port)), "the app did not start"
            yield port
        finally:
            process.kill()


def is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.mark.timeout(240)
def test_nor_of_a_run_of_conf(tmp_path: Path) -> None:
    """The configuration has secrets of its own, and sends two of them to the app."""
    (tmp_path / "shop.py").write_text(SHOP.replace("Bearer planted-bearer", "Basic planted-basic"))
    (tmp_path / "nginx.conf").write_text(NGINX)
    short = ("--anyway", "--quick", "--connections", 4, "--time", "8s", "--record", "record")
    words = ("conf", "nginx.conf", *short, "--path", TARGET, *COOKIE, *TOLD, "--", *APP)
    done = command.hopcost(*words, folder=tmp_path)
    # 1: the app refuses the change that leaves its header out.
    assert done.returncode in (0, 1), done.stdout + done.stderr
    texts = texts_of(tmp_path / "record") | {"the screen": done.stdout + done.stderr}
    diff = command.hopcost("report", "record", "--diff", folder=tmp_path)
    assert planted_in(texts | {"--diff": diff.stdout + diff.stderr}) == {}
    blocks = [json.loads(line) for line in texts["blocks.jsonl"].splitlines()]
    on_app = [block for block in blocks if block["experiment"].startswith("confirmed")]
    statuses = {arm["check"]["status"] for block in on_app for arm in block["arms"]}
    assert statuses == {200}, "the app got the true values"
