"""Processes of a stack under load: a worker that is replaced is counted, one that nobody counts is a fault."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.stacks.under_load.workers import Workers, are_dealt_connections


@pytest.fixture
def sleeper() -> Iterator[int]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process.pid
        process.kill()


def stack(processes: dict[str, list[int]], counted_by_cgroup: bool = False) -> SimpleNamespace:
    return SimpleNamespace(
        arm="made-up",
        processes=processes,
        account_of=lambda _: "/a/cgroup" if counted_by_cgroup else None,
        prepared=SimpleNamespace(server=None),
    )


def look(before: dict[str, list[int]], after: dict[str, list[int]], counted_by_cgroup: bool = False) -> Workers:
    made_up = stack(before, counted_by_cgroup)
    processes = Workers(made_up)
    made_up.processes = after
    return processes


def test_the_one_that_started_the_others_is_no_worker(sleeper: int) -> None:
    own = os.getpid()
    alone, both = {"app": [own]}, {"app": [sleeper, own, sleeper]}
    assert len(look(alone, alone).worker_cpu_ns()["app"]) == 1
    first, second = look(both, both).worker_cpu_ns()["app"]
    assert first > second == 0


@pytest.mark.parametrize(
    ("processes", "counted_by_cgroup", "dealt"),
    [
        ({"nginx": [1, 2, 3], "app": [4]}, False, True),
        ({"nginx": [1, 2], "app": [4, 5, 6]}, False, False),
        ({"app": [1]}, False, False),
        ({"apache": [1, 2, 3]}, True, False),
    ],
)
def test_connections_are_dealt_to_the_workers_of_the_first_hop(
    processes: dict[str, list[int]], counted_by_cgroup: bool, dealt: bool
) -> None:
    made_up = stack(processes, counted_by_cgroup)
    made_up.prepared = SimpleNamespace(hops=[SimpleNamespace(name=name) for name in processes])
    assert are_dealt_connections(made_up) is dealt


def test_very_many_workers_are_not_listed() -> None:
    many = {"app": [os.getpid()] * (METHOD.max_workers_listed + 2)}
    assert look(many, many).worker_cpu_ns() == {}


def test_processes_that_ended_are_restarts() -> None:
    assert look({"app": [1, 2, 3]}, {"app": [1, 2, 3]}).restarts() == {}
    assert look({"app": [1, 2, 3]}, {"app": [1, 3, 9]}).restarts() == {"app": 1}
    assert look({"app": [1, 2, 3]}, {"app": [1]}).restarts() == {"app": 2}
    assert look({"app": [1, 2]}, {"app": [1, 3]}, counted_by_cgroup=True).restarts() == {}


def test_processes_whose_time_nobody_counts_are_a_fault_of_the_measurement() -> None:
    with pytest.raises(MeasurementFailed, match="1 processes that were not there"):
        look({"app": [1]}, {"app": [1, 2]}).restarts()
