"""What happens to a run on two machines when a part of it dies or is cut off: at most one void block, nothing left."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from systems.two_machine_runs import LEFT_S, WAIT_S, agent_of, broken_off, ended, loading, went_on

from hopcost.record import reader
from tools.docs.results.hosts import Hosts

pytestmark = pytest.mark.timeout(300)

KILLS: dict[str, Callable[[Hosts, int], psutil.Process]] = {
    "engine": lambda hosts, _: hosts.engines()[0],
    "agent": lambda _, harness: agent_of(harness),
}


@pytest.mark.parametrize("victim", list(KILLS))
def test_a_part_that_is_killed_costs_one_block(two_machines: Hosts, tmp_path: Path, victim: str) -> None:
    with loading(two_machines, tmp_path, 25) as (process, record, traces):
        KILLS[victim](two_machines, process.pid).kill()
        code, said, kept = ended(process, record)
    assert len(broken_off(kept)) == 1, (broken_off(kept), said)
    assert went_on(kept), said
    assert code in (0, 4), said
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_nothing_is_left_of_a_harness_that_ends(two_machines: Hosts, tmp_path: Path, number: signal.Signals) -> None:
    with loading(two_machines, tmp_path, 60) as (process, record, traces):
        process.send_signal(number)
        process.communicate(timeout=WAIT_S)
    assert two_machines.left_after(LEFT_S) == []
    assert traces.left() == {}
    assert reader.read_record(record).blocks == []


def test_a_link_that_is_cut_for_ever_ends_the_run(two_machines: Hosts, tmp_path: Path) -> None:
    with loading(two_machines, tmp_path, 60) as (process, record, traces):
        two_machines.cut()
        try:
            left = two_machines.left_after(LEFT_S)
            code, said, kept = ended(process, record)
        finally:
            two_machines.mend()
    assert left == [], "it cleans up though nobody tells it"
    assert len(broken_off(kept)) == 1
    assert code == 3 and "cannot be reached" in said
    assert traces.left() == {}


def test_a_link_that_is_cut_for_three_seconds_costs_one_block_at_most(two_machines: Hosts, tmp_path: Path) -> None:
    with loading(two_machines, tmp_path, 40) as (process, record, traces):
        two_machines.cut()
        time.sleep(3)
        two_machines.mend()
        code, said, kept = ended(process, record)
    assert len(broken_off(kept)) <= 1, said
    assert went_on(kept), said
    assert code in (0, 4), said
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []
