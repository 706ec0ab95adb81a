"""The configuration to take: the lines of the best stack, each with what it is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from mocks import fronts
from mocks.mock_rig import MockRig

from hopcost.report.questions.front.config import comment
from hopcost.statistics.questions.front.fronts import Front
from hopcost.statistics.questions.front.result import FrontResult
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload


@pytest.fixture
def answer(rig: MockRig, tmp_path: Path) -> FrontResult:
    return fronts.express(rig, tmp_path, "keepalive,unix,cache")


def text(answer: FrontResult, best: Front | None = None, **facts: Any) -> str:
    return fronts.taken(answer, best, **facts).text


def test_keepalive_has_all_its_lines_with_the_evidence_and_stays_below_the_apps_time_out(answer: FrontResult) -> None:
    lines = [line.strip() for line in text(answer).splitlines()]
    for line in (
        "keepalive 64;",
        "keepalive_timeout 4s;",
        "proxy_http_version 1.1;",
        'proxy_set_header Connection "";',
    ):
        assert line in lines
    words = " ".join(lines)
    assert "# upstream keepalive: −125 µs" in words and "drops idle connections after 5 s" in words
    assert "server 127.0.0.1:3000;" in lines and "The port that you start your app with." in words


def test_plain_nginx_has_none_of_them(answer: FrontResult) -> None:
    plain = text(answer, Front.NGINX)
    assert "proxy_pass http://app;" in plain
    assert not any(word in plain for word in ("keepalive", "Connection", "proxy_http_version"))


def test_a_known_port_stands_there_and_a_socket_in_its_place(answer: FrontResult) -> None:
    assert "server 127.0.0.1:8080;" in text(answer, port=8080) and "that you start" not in text(answer, port=8080)
    assert "server unix:/run/app.sock;" in text(answer, Front.UNIX) and "keepalive 64;" in text(answer, Front.UNIX)


def test_a_cache_that_saves_is_offered_as_a_comment(answer: FrontResult) -> None:
    assert "# proxy_cache app;" in text(answer)
    without = [entry for entry in answer.advice if entry.front is not Front.CACHE]
    flat = msgspec.structs.replace(answer, advice=without)
    assert "cache" not in text(flat)


def test_a_cache_of_fastcgi_answers_has_a_key(answer: FrontResult) -> None:
    assert "# fastcgi_cache_key $scheme$request_method$host$request_uri;" in text(answer, is_fastcgi=True)
    assert "cache_key" not in text(answer)


@pytest.mark.parametrize(
    ("workload", "line"),
    [
        (Workload(method=Method.POST, body_bytes=3 << 20), "client_max_body_size 3m;"),
        (Workload(method=Method.POST, body_text="a=b"), None),
    ],
    ids=["large", "small"],
)
def test_uploads_above_nginxs_limit_are_let_in(
    rig: MockRig, tmp_path: Path, workload: Workload, line: str | None
) -> None:
    words = text(fronts.express(rig, tmp_path, "nginx,keepalive", workload=workload))
    assert line in words if line is not None else "client_max" not in words


def test_fastcgi_has_its_own_lines(answer: FrontResult) -> None:
    php = text(answer, is_fastcgi=True, script="/srv/app/index.php", upstream_timeout_s=None)
    lines = [line.strip() for line in php.splitlines()]
    for line in ("fastcgi_pass app;", "fastcgi_keep_conn on;", "fastcgi_param SCRIPT_FILENAME /srv/app/index.php;"):
        assert line in lines
    assert "proxy_pass" not in php and "keepalive_timeout" not in php


def test_an_app_without_a_time_out_gets_a_cautious_one(answer: FrontResult) -> None:
    patient = text(answer, idle_timeout_s=None, upstream_timeout_s=7)
    assert "keepalive_timeout 7s;" in patient and "longer than this" in " ".join(patient.split())


@pytest.mark.parametrize(("front", "line"), [(Front.HAPROXY, "http-reuse always"), (Front.CADDY, "reverse_proxy 127")])
def test_other_programs_have_theirs(rig: MockRig, tmp_path: Path, front: Front, line: str) -> None:
    rig.answers = {"alone": 100, "alone-aa": 100, "nginx": 40, "keepalive": 80, "haproxy": 90, "caddy": 30}
    other = fronts.measured(rig, tmp_path, fronts.plan_of("keepalive,haproxy,caddy"))
    assert line in text(other, front)
    assert fronts.taken(other).name in ("haproxy.cfg", "nginx.conf")


def test_comments_are_broken_at_the_terminals_width() -> None:
    lines = comment("word " * 40, 8).splitlines()
    assert len(lines) > 2 and all(line.startswith("        # ") and len(line) <= 78 for line in lines)
