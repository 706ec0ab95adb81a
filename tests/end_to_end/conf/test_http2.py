"""`hopcost conf --http2`: clients speak HTTP/2 with the site, and HTTP/1.1 over TLS where a change takes it away."""

from __future__ import annotations

import json
from pathlib import Path

import command
import pytest

from hopcost.record.reader import read_record

pytestmark = [pytest.mark.usefixtures("nothing_left"), pytest.mark.timeout(240)]

SHORT = ("--anyway", "--quick", "--connections", 4, "--time", "8s", "--record", "record", "--json")
SITE = """events {}
http {
    server {
        listen 443 LISTEN;
        server_name shop.example;
        ssl_certificate     shop.pem;
        ssl_certificate_key shop.key;
        location / { proxy_pass http://app.internal:3000; }
    }
}
"""


def test_what_http2_costs_is_measured(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text(SITE.replace("LISTEN", "ssl http2"))
    done = command.hopcost("conf", "nginx.conf", *SHORT, "--http2", "--streams", 5, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["http2_streams"] == 5
    assert "no-http2" in [change["candidate"]["name"] for change in answer["changes"]]
    record = read_record(tmp_path / "record")
    links = {arm.arm.hops[0].link.value for planned in record.plan.experiments for arm in planned.arms}
    assert links == {"http2+tls", "https+tcp"}
    for block in record.blocks:
        for part in block.arms:
            assert part.totals is not None and part.totals.errors == {} and part.totals.answers > 0
    shown = command.hopcost("report", tmp_path / "record", "--details")
    assert "Clients speak HTTP/2, 5 requests at a time on each connection." in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("listen", "words", "says"),
    [
        ("ssl", ["--http2"], "does not speak it"),
        ("", ["--http2"], "is reached without TLS"),
        ("ssl http2", ["--streams", "5"], "--streams: over HTTP/1.1 a connection has one request at a time"),
    ],
    ids=["no http2", "no TLS", "streams alone"],
)
def test_a_site_without_it_is_refused(tmp_path: Path, listen: str, words: list[str], says: str) -> None:
    (tmp_path / "nginx.conf").write_text(SITE.replace("LISTEN", listen))
    done = command.hopcost("conf", "nginx.conf", *SHORT, *words, folder=tmp_path)
    assert done.returncode == 2 and says in done.stderr and "hint: " in done.stderr, done.stderr
    assert not (tmp_path / "record").exists()
