"""What happens to a run on two machines when a part of it dies or is cut off: at most one void block, nothing left."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from command import HOPCOST, environment
from systems.hosts import Hosts
from systems.traces import Traces, noted
from texts import suite_files

from hopcost.machine.traces import command_line, descendants
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.record.contents.run import Record

pytestmark = pytest.mark.timeout(300)

WAIT_S = 120.0  # a limit, not a measure
LEFT_S = 15.0  # the lease of the generator's folder, and a margin
SUITE = suite_files.TWO_ARMS.replace('"http+unix"', '"http+tcp"').replace("arms.unix", "arms.again")
SUITE = SUITE.replace('"tcp", "unix"', '"tcp", "again"')


@contextmanager
def loading(hosts: Hosts, folder: Path, seconds: int) -> Iterator[tuple[subprocess.Popen[str], Path, Traces]]:
    """A run on both machines whose engine loads by now."""
    temporary, record = folder / "tmp", folder / "record"
    temporary.mkdir()
    suite = suite_files.write(folder, SUITE)
    words = ["run", str(suite), "--time", str(seconds), "--quick", "--anyway", "--record", str(record), *hosts.options]
    with (
        subprocess.Popen(
            [*hosts.inside, HOPCOST, *words],
            env=environment() | {"TMPDIR": str(temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        noted(process.pid, temporary, hosts.namespaces) as traces,
    ):
        try:
            deadline = time.monotonic() + WAIT_S
            while not (record.exists() and hosts.engines()):
                assert process.poll() is None and process.stderr is not None, process.stderr and process.stderr.read()
                assert time.monotonic() < deadline, "it did not begin to load"
                time.sleep(0.05)
            time.sleep(0.5)  # it warms up
            traces.note()
            yield process, record, traces
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], record: Path) -> tuple[int, str, Record]:
    """Its exit code, what it said, and its record."""
    _, said = process.communicate(timeout=WAIT_S)
    return process.returncode, said, reader.read_record(record)


def void(record: Record) -> list[str]:
    """The reasons of the void blocks, in words."""
    blocks = [block for block in record.blocks if block.validity is Validity.VOID]
    return ["; ".join(reason.text or reason.kind.value for reason in block.reasons) for block in blocks]


def agent_of(harness: int) -> psutil.Process:
    (pid,) = [pid for pid in descendants(harness) if command_line(pid).endswith("hopcost-engine agent")]
    return psutil.Process(pid)


KILLS: dict[str, Callable[[Hosts, int], psutil.Process]] = {
    "engine": lambda hosts, _: hosts.engines()[0],
    "agent": lambda _, harness: agent_of(harness),
}


@pytest.mark.parametrize("victim", list(KILLS))
def test_a_part_that_is_killed_costs_one_block(two_machines: Hosts, tmp_path: Path, victim: str) -> None:
    with loading(two_machines, tmp_path, 25) as (process, record, traces):
        KILLS[victim](two_machines, process.pid).kill()
        code, said, kept = ended(process, record)
    assert len(void(kept)) == 1, (void(kept), said)
    assert any(block.validity is not Validity.VOID for block in kept.blocks), "the run went on"
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
    assert len(void(kept)) == 1
    assert code == 3 and "cannot be reached" in said
    assert traces.left() == {}


def test_a_link_that_is_cut_for_three_seconds_costs_one_block_at_most(two_machines: Hosts, tmp_path: Path) -> None:
    with loading(two_machines, tmp_path, 40) as (process, record, traces):
        two_machines.cut()
        time.sleep(3)
        two_machines.mend()
        code, said, kept = ended(process, record)
    assert len(void(kept)) <= 1, said
    assert any(block.validity is not Validity.VOID for block in kept.blocks), "the run went on"
    assert code in (0, 4), said
    assert traces.left() == {}
    assert two_machines.left_after(LEFT_S) == []
