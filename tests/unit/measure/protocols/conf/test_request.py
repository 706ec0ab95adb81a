"""What the load sends: the site's host and what browsers accept, unless something else was asked for."""

from __future__ import annotations

from pathlib import Path

from hopcost.measure.protocols.conf.request import ConfRequest
from hopcost.suites.experiments.workload import Workload


def sent(*headers: list[str]) -> list[list[str]]:
    request = ConfRequest(file=Path("nginx.conf"), workload=Workload(headers=list(headers)))
    return request.workload_of("example.org").headers


def test_the_load_names_the_site_and_accepts_gzip_as_browsers_do() -> None:
    assert sent(["Cookie", "a=1"]) == [["Host", "example.org"], ["Accept-Encoding", "gzip"], ["Cookie", "a=1"]]


def test_what_is_asked_for_takes_the_place_of_what_browsers_send() -> None:
    own = [["host", "other.org"], ["accept-encoding", "identity"]]
    assert sent(*own) == own


def test_where_a_password_is_asked_for_the_load_logs_in() -> None:
    request = ConfRequest(file=Path("nginx.conf"), workload=Workload())
    assert request.workload_of("a", "Basic eA==").headers[2] == ["Authorization", "Basic eA=="]
    asked = ConfRequest(file=Path("nginx.conf"), workload=Workload(headers=[["authorization", "Bearer x"]]))
    assert [name for name, _ in asked.workload_of("a", "Basic eA==").headers] == [
        "Host",
        "Accept-Encoding",
        "authorization",
    ]
