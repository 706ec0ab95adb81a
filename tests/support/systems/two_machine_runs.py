"""Runs on two machines for tests of what goes wrong: one that loads by now, its end, its void blocks."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from command import HOPCOST, environment
from systems.traces import Traces, noted
from texts import suite_files

from hopcost.machine.traces import command_line, descendants
from hopcost.record import reader
from hopcost.record.contents.reason import ReasonKind
from hopcost.record.contents.run import Record
from tools.docs.results.hosts import Hosts

WAIT_S = 200.0  # a limit, not a measure
LEFT_S = 10.0  # the lease of the generator's folder is 8 s
SUITE = suite_files.TWO_ARMS.replace('"http+unix"', '"http+tcp"').replace("arms.unix", "arms.again")
SUITE = SUITE.replace('"tcp", "unix"', '"tcp", "again"')


@contextmanager
def loading(
    hosts: Hosts, folder: Path, seconds: int, record: Path | None = None
) -> Iterator[tuple[subprocess.Popen[str], Path, Traces]]:
    """A run on both machines whose engine loads by now."""
    temporary, record = folder / "tmp", record or folder / "record"
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


def broken_off(record: Record) -> list[str]:
    """The reasons of the blocks that a failure cut short, in words; those of a busy machine do not count."""
    reasons = [reason for block in record.blocks for reason in block.reasons]
    return [reason.text or "" for reason in reasons if reason.kind is ReasonKind.BROKE_OFF]


def went_on(record: Record) -> bool:
    """Whether the last block was measured to its end."""
    return bool(record.blocks) and all(reason.kind is not ReasonKind.BROKE_OFF for reason in record.blocks[-1].reasons)


def agent_of(harness: int) -> psutil.Process:
    """The agent that this run has started."""
    (pid,) = [pid for pid in descendants(harness) if command_line(pid).endswith("hopcost-engine agent")]
    return psutil.Process(pid)
