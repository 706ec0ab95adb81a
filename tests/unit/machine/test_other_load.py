"""How busy the machine is, and with what."""

from __future__ import annotations

import time
from collections.abc import Sequence

import psutil
import pytest

from hopcost.machine import cpu_time, other_load
from hopcost.machine.other_load import OtherLoad, ProcessTime

MS = 1_000_000
OWN = 50


def process(pid: int, name: str, cpu_ms: int, parent: int = 1, began: int = 0, children_ms: int = 0) -> ProcessTime:
    return ProcessTime(pid, parent, name, began, cpu_ms * MS, children_ms * MS)


def others(before: Sequence[ProcessTime], after: Sequence[ProcessTime]) -> list[tuple[str, int, int]]:
    """Name, pid and ms."""
    programs = other_load.other_programs(before, after, OWN)
    return [(program.name, program.pid, program.cpu_ns // MS) for program in programs]


def test_who_used_cpu_time_comes_first_and_who_used_none_is_not_named() -> None:
    before = [process(2, "shell", 70), process(3, "idle", 900), process(4, "compiler", 10)]
    after = [process(2, "shell", 80), process(3, "idle", 900), process(4, "compiler", 500), process(5, "new", 20)]
    assert others(before, after) == [("compiler", 4, 490), ("new", 5, 20), ("shell", 2, 10)]


def test_hopcost_its_engine_and_its_stacks_are_not_others() -> None:
    tree = [(OWN, 9), (60, OWN), (61, OWN), (70, 61), (71, 70)]
    before = [process(pid, "ours", 0, parent) for pid, parent in tree]
    after = [process(pid, "ours", 99, parent) for pid, parent in tree]
    after += [process(9, "the shell that started it", 5), process(72, "a new worker", 8, parent=70)]
    assert others(before, after) == [("the shell that started it", 9, 5)]


def test_a_worker_that_has_lost_its_parent_is_still_ours() -> None:
    before = [process(OWN, "hopcost", 0), process(70, "master", 0, OWN), process(71, "worker", 0, 70)]
    assert others(before, [process(OWN, "hopcost", 1), process(71, "worker", 99, parent=1)]) == []


def test_short_lived_children_count_for_their_parent() -> None:
    """`make` starts a compiler for each file: none of them lives from one look to the next."""
    before = [process(2, "make", 5, children_ms=1000), process(3, "cc", 300, parent=2)]
    after = [process(2, "make", 6, children_ms=1750)]
    assert others(before, after) == [("make", 2, 451)], "the 300 ms of cc were used before"


def test_what_a_child_s_children_had_used_before_does_not_count_either() -> None:
    """A shell whose `make` ends inherits the compilers' minutes too."""
    before = [process(2, "sh", 5), process(3, "make", 10, parent=2, children_ms=40_000)]
    before += [process(4, "cc", 60_000, parent=3), process(5, "as", 2000, parent=4)]
    after = [process(2, "sh", 5, children_ms=102_010 + 300)]
    assert others(before, after) == [("sh", 2, 300)]


def test_a_pid_that_is_used_anew_is_another_process() -> None:
    assert others([process(2, "old", 900, began=1)], [process(2, "young", 30, began=2)]) == [("young", 2, 30)]


def test_the_busiest_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([[], [process(number, f"busy-{number}", 100 - number) for number in range(1, 6)]])
    monkeypatch.setattr(other_load, "processes", lambda: next(looks))
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: 30.0)
    monkeypatch.setattr(cpu_time, "steal_ns", lambda: 0)
    assert other_load.watch() == OtherLoad(busy=0.3, stolen=0.0, busiest=["busy-1", "busy-2", "busy-3"])


def test_steal_is_a_share_of_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, steal = iter([0, 1_000_000_000]), iter([5, 200_000_005])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(clock))
    monkeypatch.setattr(cpu_time, "steal_ns", lambda: next(steal))
    monkeypatch.setattr(other_load, "processes", list)
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: 0.0)
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    assert other_load.watch() == (0.0, pytest.approx(0.1), [])


def test_the_share_of_the_watched_cores_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, busy = iter([0, 1_000_000_000]), iter([70, 500_000_070])
    asked: list[list[int]] = []
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(clock))
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(other_load, "processes", list)

    def busy_ns(cores: list[int]) -> int:
        asked.append(cores)
        return next(busy)

    monkeypatch.setattr(cpu_time, "busy_ns", busy_ns)
    assert other_load.watch_cores([0, 3]) == (0.25, 1_000_000_000, [])
    assert asked == [[0, 3], [0, 3]]


def test_the_kernels_threads_are_no_programs_and_their_time_counts_by_core() -> None:
    def thread(pid: int, name: str, cpu_ms: int, core: int) -> ProcessTime:
        return process(pid, name, cpu_ms, parent=2)._replace(core=core, is_kernel=True)

    before = [thread(3, "kdamond", 100, 0), thread(4, "ksoftirqd/0", 100, 0), thread(5, "kworker/1:0", 100, 1)]
    after = [thread(3, "kdamond", 150, 0), thread(4, "ksoftirqd/0", 170, 0), thread(5, "kworker/1:0", 180, 1)]
    after.append(thread(6, "kworker/0:7", 4, 0))
    after.append(process(7, "program", 900))
    assert other_load.kernel_ns(before, after, [0]) == 54 * MS
    assert other_load.kernel_ns(before, after, [0, 1]) == 134 * MS
    assert others(before, after) == [("program", 7, 900)]


def test_a_service_and_its_children_are_taken_out_with_what_they_used_on_these_cores() -> None:
    before = [process(2, "postgres", 10), process(3, "postgres", 0, parent=2), process(9, "shell", 0)]
    after = [process(2, "postgres", 20), process(3, "postgres", 70, parent=2), process(9, "shell", 5)]
    after += [process(4, "postgres", 30, parent=2)._replace(core=1)]  # a connection's, on another core
    programs = other_load.other_programs(before, after, OWN)
    others, used_ns = other_load.without_families(programs, before, after, [2], [0])
    assert ([program.name for program in others], used_ns // MS) == (["shell"], 80)
