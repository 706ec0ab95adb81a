"""Which fronts an app can have, and the reasons against the others."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from mocks import fronts

from hopcost.measure.protocols.front.choose import choose_fronts, pool_size, upstream_timeout_s
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload

PNG = [("Content-Type", "image/png")]


def chosen(*wanted: str, **changes: Any) -> tuple[list[str], dict[str, str]]:
    kept, left_out = choose_fronts(fronts.found(*wanted, **changes))
    return [front.value for front in kept], {left.name: left.words() for left in left_out}


def test_express_can_have_all() -> None:
    kept, left_out = chosen("all")
    assert kept == ["nginx", "keepalive", "unix", "haproxy", "caddy", "tls", "http2", "gzip", "cache", "copies"]
    assert left_out == {}


@pytest.mark.parametrize(
    ("front", "changes", "words"),
    [
        ("keepalive", {"keeps_connections": False}, "the app closes each connection"),
        ("keepalive", {"idle_timeout_s": 1.5}, "drops idle connections after 1.5 s"),
        ("unix", {"why_no_socket": "it did not serve there"}, "it did not serve there; hint: --socket"),
        ("gzip", {"body_bytes": 120}, "answers have 120 bytes"),
        ("gzip", {"content_type": "image/png"}, "answers are image/png, which is not text"),
        ("gzip", {"content_type": None}, "answers are of no type"),
        ("gzip", {"compresses": True}, "the app compresses its answers itself"),
        ("cache", {"headers": [("set-cookie", "a=1")]}, "the answer has Set-Cookie"),
        ("cache", {"headers": [("Cache-Control", "private, max-age=5")]}, "Cache-Control: private, max-age=5"),
        ("cache", {"headers": [("Vary", "*")]}, "Vary: *"),
        ("cache", {"status": 404}, "status 404"),
        ("cache", {"workload": Workload(method=Method.POST, body_bytes=10)}, "POST is not cached"),
        ("cache", {"workload": Workload(headers=[["authorization", "Bearer x"]])}, "the request carries Authorization"),
        ("haproxy", {"is_fastcgi": True}, "before HTTP alone"),
    ],
)
def test_what_cannot_be_had_has_its_reason(front: str, changes: dict[str, Any], words: str) -> None:
    kept, left_out = chosen(front, **changes)
    assert front not in kept and words in left_out[front]


def test_max_age_alone_does_not_forbid_a_cache() -> None:
    assert "cache" in chosen("cache", headers=[("Cache-Control", "public, max-age=60")])[0]


def test_a_command_with_a_port_needs_another_one_for_a_socket() -> None:
    app = App(command=["gunicorn", "-b", "127.0.0.1:{port}", "app:app"])
    _, left_out = chosen("unix", app=app)
    assert left_out["unix"] == (
        "unix: nothing tells the app a socket's path; hint: --socket 'gunicorn -b unix:{socket} …'"
    )


def test_an_app_with_a_port_of_its_own_runs_once() -> None:
    app = App(command=["node", "server.js"], port=3000)
    kept, left_out = chosen("unix,copies", app=app)
    assert kept == ["nginx"] and "port 3000" in left_out["copies"] and "unix" in left_out


def test_an_app_that_is_told_a_socket_is_reached_over_it_everywhere() -> None:
    choice = fronts.found("unix", app=App(command=["uvicorn", "app:app", "--uds", "{socket}"]))
    assert choice.request.link.is_unix
    kept, left_out = choose_fronts(choice)
    assert [front.value for front in kept] == ["nginx"] and "all stacks reach it over that" in left_out[0].reason


@pytest.mark.parametrize(
    ("idle_s", "nginx_s"), [(5.0, 4), (6.2, 5), (2.0, 1), (1.9, 1), (1.5, None), (65.0, 64), (None, 7)]
)
def test_nginx_gives_up_a_connection_before_the_app_does(idle_s: float | None, nginx_s: int | None) -> None:
    learned = msgspec.structs.replace(fronts.EXPRESS, idle_timeout_s=idle_s)
    assert upstream_timeout_s(learned) == nginx_s


def test_over_fastcgi_no_connection_waits_for_a_process_that_another_one_keeps() -> None:
    php: dict[str, Any] = {"is_fastcgi": True, "keeps_connections": False, "processes": 5}
    _, left_out = chosen("keepalive", **php)
    assert "each of the app's 4 processes serves one kept connection" in left_out["keepalive"]
    assert "--connections 4" in left_out["keepalive"]
    assert "keepalive" in chosen("keepalive", **php, workload=Workload(connections=4))[0]
    assert "keepalive" in chosen("keepalive", **php | {"processes": 1})[0]


def test_over_fastcgi_the_pool_leaves_processes_to_others() -> None:
    php = fronts.found(is_fastcgi=True, keeps_connections=False, processes=9)
    assert pool_size(php.request, php.learned) == 4
    express = fronts.found(workload=Workload(connections=100))
    assert pool_size(express.request, express.learned) == 100
