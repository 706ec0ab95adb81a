"""What is learned of running servers: whether they keep connections, drop idle ones, and answer beside them."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from processes.waiting_app import waiting

from hopcost.measure.protocols.versus import connections
from hopcost.measure.protocols.versus.connections import learn_connections
from hopcost.measure.protocols.versus.find import Wishes, find_servers
from hopcost.plan.method import METHOD
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.experiments.workload import Workload

WORKLOAD = Workload(connections=4, timeout_s=30)
LONG_S = 60.0  # a busy machine may be late


@pytest.fixture(autouse=True)
def long_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", LONG_S)
    monkeypatch.setattr(connections, "MOST_ASKING_S", LONG_S)


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch, long_patience: None) -> None:
    """For servers that will not answer, however long one waits."""
    monkeypatch.setattr(connections, "PATIENCE_S", 0.3)
    monkeypatch.setattr(connections, "PATIENCE_FACTOR", 0.0)


def learned(*kinds: str, gap_s: float, workload: Workload = WORKLOAD) -> list[RunningServer]:
    with ExitStack() as stack:
        urls = [stack.enter_context(waiting(kind)).url() for kind in kinds]
        known = learn_connections(find_servers(urls, Wishes()), workload, gap_s)
    return [one.server for one in known]


def facts(server: RunningServer) -> tuple[bool, float | None, int | None, int | None]:
    return server.keeps_connections, server.idle_timeout_s, server.blocked_by_idle, server.blocked_by_kept


def test_a_server_that_bears_idle_connections_is_watched_for_the_gap_alone() -> None:
    (server,) = learned("patient", gap_s=0.1)
    assert facts(server) == (True, None, None, None)


def test_a_server_that_drops_idle_connections_ends_the_watch() -> None:
    impatient, patient = learned("impatient", "patient", gap_s=METHOD.max_idle_watch_s)
    assert impatient.idle_timeout_s is not None and 0.9 <= impatient.idle_timeout_s < METHOD.max_idle_watch_s
    assert (impatient.keeps_connections, impatient.blocked_by_idle) == (True, None)
    assert facts(patient) == (True, None, None, None), "nobody waited for it"


@pytest.mark.usefixtures("short_patience")
@pytest.mark.parametrize(
    ("kind", "connections", "expected"),
    [
        ("single", 4, (True, None, 3, 1)),
        ("single", 1, (True, None, 1, None)),
        ("single-closes", 4, (False, None, 3, None)),
        ("waits-once", 4, (True, None, 3, None)),
    ],
)
def test_one_worker_does_not_answer_beside_idle_connections(
    kind: str, connections: int, expected: tuple[bool, None, int, int | None]
) -> None:
    (server,) = learned(kind, gap_s=0.1, workload=Workload(connections=connections, timeout_s=30))
    assert facts(server) == expected


def test_a_gap_too_long_to_be_watched_decides_by_itself() -> None:
    (server,) = learned("impatient", gap_s=METHOD.max_idle_watch_s + 1)
    assert facts(server) == (True, None, None, None)


@pytest.mark.usefixtures("short_patience")
def test_two_urls_of_one_server_are_learned_once() -> None:
    with waiting("single") as one:
        known = learn_connections(find_servers([one.url(), f"{one.url()}other"], Wishes()), WORKLOAD, 0.1)
    assert [facts(server.server) for server in known] == [(True, None, 3, 1)] * 2
    assert [server.server.target for server in known] == ["/", "/other"]
