"""`hopcost vs` with processes and cgroups that work behind a server: hops of their own, each counted once."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command
import pytest
from processes.needed import need
from processes.origins import Origin, nginx_before, origin

from hopcost.record.contents.run import Record
from hopcost.record.reader import read_record
from hopcost.stacks.sandbox.cgroups import find_freezer

pytestmark = pytest.mark.usefixtures("nothing_left")

SHORT = ("--anyway", "--time", 12, "-c", 8)


@contextlib.contextmanager
def cgroup_of(*pids: int) -> Iterator[Path]:
    """A cgroup that counts the CPU time of these processes, and of nobody else."""
    account = find_freezer().account
    need(None if account is not None else "this user may make no cgroup that counts CPU time")
    folder = Path(str(account)) / f"tests-vs-{os.getpid()}"
    folder.mkdir()
    try:
        move(pids, folder)
        yield folder
    finally:
        move(pids, folder.parent)
        folder.rmdir()


def move(pids: tuple[int, ...], cgroup: Path) -> None:
    for pid in pids:
        (cgroup / "cgroup.procs").write_text(str(pid))


def measured(tmp_path: Path, *words: object) -> tuple[Record, list[dict[str, Any]], str]:
    """The record, the arms of its JSON report, and what was said meanwhile."""
    folder = tmp_path / "record"
    done = command.hopcost("vs", *words, *SHORT, "--record", folder, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (experiment,) = json.loads(done.stdout)["experiments"]
    return read_record(folder), experiment["arms"], done.stderr


def hops_of(record: Record) -> dict[str, list[str]]:
    """The hops of each arm; their CPU time is known in every slice, and above 0."""
    assert record.blocks
    for block in record.blocks:
        for part in block.arms:
            assert part.totals is not None and part.totals.errors == {}
            assert all(piece.cpu_ns[hop] for piece in part.slices for hop in part.hops), part.name
    return {part.name: part.hops for part in record.blocks[0].arms}


def test_a_process_behind_a_server_is_a_hop_of_its_own(tmp_path: Path) -> None:
    with origin(tmp_path) as behind, nginx_before(behind, tmp_path) as front:
        record, arms, said = measured(tmp_path, f"http://{front}/hello", behind.url(), "--pid", f"1={behind.pid}")
    assert f"{front} is nginx ×2" in said and ", with hopcost-origin behind it" in said
    assert hops_of(record) == {
        front: ["nginx", "hopcost-origin"],
        behind.address: ["hopcost-origin"],
        f"{front}-aa": ["nginx", "hopcost-origin"],
    }
    assert set(arms[0]["cpu_ns_per_request"]) == {"nginx", "hopcost-origin", "generator"}


def test_a_cgroup_behind_a_server_is_a_hop_of_its_own(tmp_path: Path) -> None:
    with (
        origin(tmp_path) as behind,
        origin(tmp_path) as other,
        nginx_before(behind, tmp_path) as front,
        cgroup_of(behind.pid) as cgroup,
    ):
        record, arms, said = measured(tmp_path, f"http://{front}/hello", other.url(), "--cgroup", f"1={cgroup}")
    assert f", with {cgroup.name} behind it" in said
    assert hops_of(record)[front] == ["nginx", cgroup.name]
    assert arms[0]["cpu_ns_per_request"][cgroup.name] > 0


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Origin, Origin]]:
    with origin(tmp_path) as first, origin(tmp_path) as second:
        yield first, second


def test_a_server_that_is_named_by_its_own_process_counts_once(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    record, arms, said = measured(tmp_path, first.url(), second.url(), "--pid", f"1={first.pid}")
    assert f"{first.address} is hopcost-origin (pid {first.pid})\n" in said
    assert set(map(tuple, hops_of(record).values())) == {("hopcost-origin",)}
    assert set(arms[0]["cpu_ns_per_request"]) == {"hopcost-origin", "generator"}


def test_a_servers_own_cgroup_counts_it_once(tmp_path: Path, pair: tuple[Origin, Origin]) -> None:
    first, second = pair
    with cgroup_of(first.pid) as cgroup:
        record, _, said = measured(tmp_path, first.url(), second.url(), "--cgroup", f"1={cgroup}")
    assert f"{first.address} is hopcost-origin (pid {first.pid})\n" in said
    assert set(map(tuple, hops_of(record).values())) == {("hopcost-origin",)}
