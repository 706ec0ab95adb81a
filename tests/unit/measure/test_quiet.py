"""The wait for quiet, on a clock and looks of the test; and what others took while a block was loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from mocks.mock_rig import QUIET, MockRig, measure

from hopcost.errors import CannotMeasure
from hopcost.machine.other_load import OtherPrograms, ProcessTime, ProgramTime
from hopcost.measure import quiet
from hopcost.plan.method import METHOD
from hopcost.record.contents.evidence import OtherProgram
from hopcost.statistics.validity.reasons import sentences

MS = 1_000_000
S = 1000 * MS


class Listener:
    """Remembers what a person would read of the wait."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def waits_for_quiet(self, who: str, left_s: float) -> None:
        self.lines.append(f"{left_s:.0f} s left: {who}")

    def is_not_quiet(self, who: str) -> None:
        self.lines.append(f"not quiet: {who}")


class ClockedRig(MockRig):
    """Each look takes a second of its clock."""

    def now_s(self) -> float:
        return 100.0 + len(self.log)


def loop(share: float, name: str = "python3", pid: int = 12) -> OtherPrograms:
    """A program that takes this share of two cores for a second."""
    return OtherPrograms(share, S, [ProgramTime(name, pid, round(share * 2 * S))])


def wait(*looks: OtherPrograms, then: OtherPrograms) -> tuple[ClockedRig, Listener]:
    rig, listener = ClockedRig(), Listener()
    remaining: Iterator[OtherPrograms] = iter(looks)
    rig.others = iter(lambda: next(remaining, then), None)
    quiet.wait_for_quiet(rig, [0, 1], listener)  # type: ignore[arg-type]
    return rig, listener


def test_a_quiet_machine_is_looked_at_once_and_nothing_is_said() -> None:
    rig, listener = wait(then=QUIET)
    assert rig.log == ["watch 0 1"] and listener.lines == []


def test_an_idle_machines_own_programs_are_no_reason_to_wait() -> None:
    rig, listener = wait(then=loop(0.029))
    assert rig.log == ["watch 0 1"] and listener.lines == []


def test_a_neighbour_that_voids_no_block_is_told_and_not_waited_for() -> None:
    rig, listener = wait(then=loop(0.08))
    assert rig.log == ["watch 0 1"]
    assert listener.lines == ["not quiet: python3 (pid 12) takes 8 %"]


def test_a_busy_loop_is_waited_for_until_it_ends() -> None:
    rig, listener = wait(loop(0.5), loop(0.5), then=QUIET)
    assert len(rig.log) == 3
    assert listener.lines == [
        "59 s left: python3 (pid 12) takes 50 %",
        "58 s left: python3 (pid 12) takes 50 %",
    ]


def test_a_busy_loop_that_does_not_end_cannot_be_measured_beside() -> None:
    with pytest.raises(CannotMeasure) as failed:
        wait(then=loop(0.5))
    assert failed.value.exit_code == 3
    assert failed.value.message == (
        "other programs take 50 % of the CPU time of 2 cores: python3 (pid 12) takes 50 %;"
        " hopcost waited 60 s for quiet"
    )
    assert failed.value.hint == "stop them, or give --anyway: figures without verdicts"


def test_the_wait_ends_in_time() -> None:
    rig = ClockedRig()
    rig.others = iter(lambda: loop(0.5), None)
    with pytest.raises(CannotMeasure):
        quiet.wait_for_quiet(rig, [0, 1], Listener())  # type: ignore[arg-type]
    assert len(rig.log) == METHOD.quiet_wait_s


def test_the_busiest_are_named_and_the_others_left_out() -> None:
    programs = [ProgramTime("cargo", 7, 900 * MS), ProgramTime("pytest", 8, 300 * MS), ProgramTime("shell", 9, 10 * MS)]
    assert quiet.who(OtherPrograms(0.605, S, programs), 2) == "cargo (pid 7) takes 45 %, pytest (pid 8) takes 15 %"
    assert quiet.who(OtherPrograms(0.5, S, programs[2:]), 2) == "programs that cannot be seen from here"


def test_a_blocks_record_has_who_took_how_much_over_all_its_loads(tmp_path: Path) -> None:
    """Three loads in a block of a full run, each between two looks; hopcost and its own are not others."""
    rig, looks = MockRig(), 0

    def programs() -> list[ProcessTime]:
        nonlocal looks
        looks += 1
        loads = looks // 2  # finished by then
        own = os.getpid()
        return [
            ProcessTime(own, 1, "hopcost", 0, looks * S, 0),
            ProcessTime(91, own, "hopcost-engine", 0, looks * S, 0),
            ProcessTime(12, 1, "python3", 0, loads * 70 * MS, 0),
            ProcessTime(13, 1, "shell", 0, loads * 10 * MS, 0),
        ]

    rig.programs = iter(programs, None)
    _, record, _ = measure(rig, tmp_path, loads=2)
    assert record.blocks[0].others == [OtherProgram("python3", 12, 210 * MS), OtherProgram("shell", 13, 30 * MS)]


def test_a_busy_machine_voids_the_block_with_the_name(tmp_path: Path) -> None:
    """The mock engine's load lasts a second: 300 ms of two cores are 15 %."""
    rig, readings, looks = MockRig(), iter([0, 300 * MS]), iter([0, 290 * MS])
    rig.busy = iter(lambda: next(readings, 300 * MS), None)
    rig.own_cpu_ns = lambda: 0  # type: ignore[method-assign]
    rig.programs = iter(lambda: [ProcessTime(12, 1, "python3", 0, next(looks, 290 * MS), 0)], None)
    _, record, _ = measure(rig, tmp_path)
    first = record.blocks[0]
    assert first.validity == "void"
    assert sentences(first.reasons) == ["other programs used 15 % of the CPU: python3 (pid 12)"]
    assert {block.validity for block in record.blocks[1:]} == {"valid"}, "done again"


def test_only_so_many_programs_are_kept() -> None:
    programs = [OtherProgram("a", number, number * MS) for number in range(1, 9)]
    kept = quiet.busiest(programs)
    assert [program.pid for program in kept] == [8, 7, 6, 5, 4]
