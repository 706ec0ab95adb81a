"""What happens to a run on several sites when a part of it dies, hangs or is cut off.

At most one void block for each part, a record that can be read, nothing left, and the other sites go on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from command import HOPCOST, environment
from systems.sites import EXPERIMENT, Sites

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.record.contents.block import Block
from hopcost.record.contents.reason import ReasonKind
from hopcost.record.contents.run import Record

pytestmark = pytest.mark.timeout(300)

WAIT_S = 200.0  # a limit, not a measure
LEFT_S = 10.0
SUITE = f"""
name = "sites"
title = "Two arms"
[arms.one]
hops = [{{ program = "origin", link = "http+tcp" }}]
[arms.two]
hops = [{{ program = "origin", link = "http+unix" }}]
[[experiments]]
name = "{EXPERIMENT}"
question = "?"
baseline = "one"
arms = ["one", "two"]
placement = "all-cores"
workload = {{ connections = 4 }}
open_loop = false
"""


class Running:
    """A run of the controller."""

    def __init__(self, process: subprocess.Popen[str], record: Path, sites: Sites) -> None:
        self.process, self.record, self.sites = process, record, sites

    def blocks(self) -> list[Block]:
        """Those that are in the record by now."""
        return reader.read_record(self.record).blocks

    def wait(self, what: str, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_S
        while not is_so():
            assert self.process.poll() is None, f"{what}: it ended: {self.process.communicate()}"
            assert time.monotonic() < deadline, f"not seen: {what}"
            time.sleep(0.1)

    def loads(self, *names: str) -> None:
        """Wait until the engine loads on these sites."""
        self.wait("load", lambda: all(self.sites.engines(name) for name in names))

    def part(self, name: str, word: str) -> psutil.Process:
        """The one process of a site with this word."""
        (process,) = self.sites.processes(name, word)
        return process

    def interrupt(self) -> tuple[int, str, Record]:
        """Ctrl-C; exit code, what it said, the record."""
        self.process.send_signal(signal.SIGINT)
        output, said = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, output + said, reader.read_record(self.record)


@contextmanager
def measuring(sites: Sites, folder: Path, *options: str, seconds: int = 300) -> Iterator[Running]:
    """A run on all sites that is under way."""
    suite, record = folder / "suite.toml", folder / "record"
    suite.write_text(SUITE)
    (folder / "tmp").mkdir()
    words = [
        "run",
        suite,
        "--fleet",
        sites.file,
        "--time",
        seconds,
        "--quick",
        "--anyway",
        "--record",
        record,
        *options,
    ]
    with subprocess.Popen(
        [*sites.inside, HOPCOST, *map(str, words)],
        env=environment() | {"TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Running(process, record, sites)
        finally:
            process.kill()


def broken(blocks: list[Block]) -> dict[str, int]:
    """How many blocks of each site did not arrive."""
    return Counter(
        str(block.site)
        for block in blocks
        if block.validity is Validity.VOID and block.reasons[0].kind is ReasonKind.BROKE_OFF
    )


def has_block_after(blocks: list[Block], site: str) -> bool:
    """Whether the site has measured one after its last void one."""
    own = [block for block in blocks if block.site == site]
    return bool(own) and own[-1].validity is not Validity.VOID


WORKER, LEADER = "sites.dask.worker", "sites.there.leader"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=lambda number: number.name)
def test_a_worker_and_a_leader_that_die_or_hang_cost_a_block_each(
    two_sites: Sites, tmp_path: Path, number: signal.Signals
) -> None:
    with measuring(two_sites, tmp_path) as run:
        run.loads("a", "b")
        run.part("a", WORKER).send_signal(number)
        run.part("b", LEADER).send_signal(number)
        run.wait("void blocks", lambda: broken(run.blocks()) == {"a": 1, "b": 1})
        run.wait("blocks after them", lambda: all(has_block_after(run.blocks(), site) for site in "ab"))
        code, said, record = run.interrupt()
    assert code == 130, said
    assert broken(record.blocks) == {"a": 1, "b": 1}, said
    assert record.run.sites_left == []
    assert two_sites.left_after(LEFT_S) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_nothing_is_left_of_a_controller_that_ends(two_sites: Sites, tmp_path: Path, number: signal.Signals) -> None:
    with measuring(two_sites, tmp_path) as run:
        run.loads("a", "b")
        run.process.send_signal(number)
        run.process.communicate(timeout=WAIT_S)
    assert two_sites.left_after(LEFT_S) == []
    record = reader.read_record(run.record)
    assert broken(record.blocks) == {} and record.warnings == []
    assert run.process.returncode == (130 if number is signal.SIGINT else -signal.SIGKILL)


def test_a_site_that_is_cut_off_cleans_up_and_leaves_and_the_others_go_on(two_sites: Sites, tmp_path: Path) -> None:
    with measuring(two_sites, tmp_path) as run:
        run.loads("a", "b")
        two_sites.cut("b")
        try:
            left = two_sites.left_after(LEFT_S, "b")
            run.wait("its leaving", lambda: bool(json.loads((run.record / "run.json").read_text())["sites_left"]))
            known = len(run.blocks())
            run.wait("another block", lambda: len(run.blocks()) > known)
            code, said, record = run.interrupt()
        finally:
            two_sites.mend("b")
    assert left == [], "it cleans up though nobody tells it"
    assert code == 130, said
    assert broken(record.blocks) == {"b": 1}
    (gone,) = record.run.sites_left
    assert gone.name == "b" and "it does not come back" in gone.reason
    assert two_sites.left_after(LEFT_S) == []


def test_a_link_that_is_down_for_three_seconds_costs_nothing(two_sites: Sites, tmp_path: Path) -> None:
    with measuring(two_sites, tmp_path) as run:
        run.loads("a", "b")
        two_sites.cut("b")
        time.sleep(3)
        two_sites.mend("b")
        run.wait("blocks of both", lambda: all(has_block_after(run.blocks(), site) for site in "ab"))
        code, said, record = run.interrupt()
    assert code == 130, said
    assert sum(broken(record.blocks).values()) <= 1
    assert record.run.sites_left == []
    assert two_sites.left_after(LEFT_S) == []


def test_another_version_is_refused_before_anything_starts(two_sites: Sites, tmp_path: Path) -> None:
    other = tmp_path / "hopcost"
    other.write_text("#!/bin/sh\necho hopcost 0.0.1\n")
    other.chmod(0o755)
    two_sites.write(extra=f'hopcost = "{other}"')
    try:
        with measuring(two_sites, tmp_path) as run:
            _, said = run.process.communicate(timeout=WAIT_S)
    finally:
        two_sites.write()
    assert run.process.returncode == 3
    assert "it has hopcost 0.0.1, this machine" in said
    assert not run.record.exists() and two_sites.left_after(LEFT_S) == []
    assert os.access(other, os.X_OK), "it was asked, and nothing else"
