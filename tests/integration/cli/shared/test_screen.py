"""What a person reads before the blocks of a run."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
from rich.console import Console
from samples.plans import make

from hopcost.cli.shared.screen import Screen
from hopcost.plan.turns import Scope


def test_a_wait_for_quiet_is_told_at_once_and_then_every_ten_seconds() -> None:
    console = Console(file=io.StringIO(), width=100)
    screen = Screen(console)
    for left_s in range(59, 29, -1):
        screen.waits_for_quiet("python3 (pid 12) takes 50 %", left_s)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines == [f"waiting for quiet, up to {left_s} s: python3 (pid 12) takes 50 %" for left_s in (59, 49, 39)]


def test_a_small_neighbour_is_told() -> None:
    console = Console(file=io.StringIO(), width=100)
    Screen(console).is_not_quiet("python3 (pid 12) takes 5 %")
    told = console.file.getvalue()  # type: ignore[attr-defined]
    counts = "what is measured beside them counts as disturbed"
    assert told == f"other programs compute: python3 (pid 12) takes 5 %; {counts}\n"


def test_a_build_counts_its_seconds_on_a_terminal_and_is_one_line_elsewhere() -> None:
    plain = Console(file=io.StringIO(), width=100)
    with Screen(plain).program_builds("go-hello"):
        pass
    assert plain.file.getvalue() == "building go-hello\n"  # type: ignore[attr-defined]
    terminal = Console(file=io.StringIO(), width=100, force_terminal=True, _environ={"TERM": "xterm"})
    with Screen(terminal).program_builds("go-hello"):
        pass
    drawn = terminal.file.getvalue()  # type: ignore[attr-defined]
    assert "building go-hello, the first time only" in drawn and "0:00:00" in drawn


def test_a_time_that_holds_no_start_of_every_stack_is_not_promised() -> None:
    console = Console(file=io.StringIO(), width=100)
    for time_s in (5.0, 600.0):
        with Screen(console).run_begins(make(time_s=time_s), Path("records/mine")):
            pass
    short, told, enough = console.file.getvalue().splitlines()[:3]  # type: ignore[attr-defined]
    assert short == "mine: first, second; about 0:14; record: records/mine"
    assert told == "0:05 is too short: one start of every stack takes about 0:14; fewer experiments take less"
    assert enough == "mine: first, second; up to 10:00; record: records/mine"


def test_of_servers_that_run_already_it_is_a_batch() -> None:
    plan = make("first", time_s=2.0)
    (planned,) = plan.experiments
    servers = msgspec.structs.replace(plan, experiments=[msgspec.structs.replace(planned, scope=Scope.PROCESSES)])
    console = Console(file=io.StringIO(), width=100)
    with Screen(console).run_begins(servers, Path("records/mine")):
        pass
    told = console.file.getvalue().splitlines()[1]  # type: ignore[attr-defined]
    assert told == "0:02 is too short: one batch of turns takes about 0:06"
