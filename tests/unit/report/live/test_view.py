"""The live view, on terminals that keep what is drawn."""

from __future__ import annotations

import io
import re
import time

import msgspec
import pytest
from mocks.terminals import shown, terminal
from mocks.views import FORECAST, drawn, plan_of_two, proxied, under_way
from rich.console import Console
from samples.blocks import block

from hopcost.plan.turns import Turns
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Ending, StopReason
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.precision import stop
from hopcost.statistics.precision.stop import ArmSoFar

NOW_S = 1000.0


class Clock:
    now_s = NOW_S


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock stands still unless it is set."""
    hands = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: hands.now_s)
    return hands


def test_a_soak_has_segments_and_no_starts(clock: Clock) -> None:
    console, plan = terminal(), plan_of_two()
    soak = msgspec.structs.replace(plan.experiments[0], turns=Turns.SOAK, soak_s=60.0)
    view = under_way(console, proxied(0), plan=msgspec.structs.replace(plan, experiments=[soak, plan.experiments[1]]))
    text = "\n".join(drawn(view, console))
    assert "now  segment 2" in text and "that takes 2 segments" in text and "server start" not in text


def test_the_view(clock: Clock) -> None:
    console = terminal()
    view = under_way(console, proxied(0), proxied(1, behind=404))
    clock.now_s += 41
    lines = drawn(view, console)
    assert lines[0] == "made-up     cost, in turns with again" + "0:41 of 30:00, 29:19 left".rjust(80 - 37)
    assert set(lines[1]) <= set("━╸╺ ")
    assert lines[2] == "now  server start 3 of about 10: loading behind (the others stand still)"
    assert lines[3] == ""
    assert lines[4].split() == ["of", "direct", "CPU", "at", "full", "load"]
    assert lines[5].split() == ["direct", "█" * 15, "100", "%"]
    assert re.fullmatch(r"  behind +█+▒+ +40 % \(\d+–\d+\) +\+30 µs", lines[6])
    assert lines[7].split() == ["beside", "–"]
    assert re.fullmatch(r"  direct again +█+▒+ +100 % \(\d+–\d+\) +\(the noise\)", lines[8])
    assert lines[9] == ""
    assert re.fullmatch(r"  widest range ±\d+ %", lines[10])
    assert lines[11:] == ["  Ctrl-C keeps what there is · details: hopcost report latest"]


def test_before_two_starts_points_are_dim_and_without_a_range() -> None:
    console = terminal()
    view = under_way(console, proxied(0))
    lines = drawn(view, console)
    assert lines[6].split()[:1] + lines[6].split()[2:] == ["behind", "40", "%", "+30", "µs"]
    assert "  no range yet: that takes 2 server starts" in lines
    assert re.search(r"\x1b\[2m  behind ", shown(console)), "dim"
    assert not re.search(r"\x1b\[2m  direct +█", shown(console)), "the baseline is what it is"


def test_before_the_first_start_ends_there_are_names_and_what_is_done() -> None:
    console = terminal()
    lines = drawn(under_way(console), console)
    assert lines[0].endswith("0:00 of 30:00, 30:00 left")
    assert lines[2] == "now  server start 1: loading behind (the others stand still)"
    assert [line.split() for line in lines[5:9]] == [
        ["direct", "–"], ["behind", "–"], ["beside", "–"], ["direct", "again", "–", "(the", "noise)"],
    ]  # fmt: skip


def test_what_is_done_with_which_arm() -> None:
    view = under_way(terminal())
    assert view.experiment is not None
    for doing, words in (
        ("start", "starting direct again"),
        ("warm-up", "warming up direct again"),
        ("opened 3 of 9 connections of", "opened 3 of 9 connections of direct again"),
        ("wrk loads", "wrk loads direct again"),
    ):
        view.arm_runs("direct-aa", doing)
        assert view.doing == words
    view.experiment = msgspec.structs.replace(view.experiment, turns=Turns.WHOLE)
    view.arm_runs("direct", "load")
    assert view.doing == "loading direct", "alone: no other arm is alive"


@pytest.mark.parametrize("width", [30, 40, 60, 80, 132])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    long = plan_of_two()
    arms = [
        msgspec.structs.replace(arm, name=arm.name + "-with-a-long-name" * (arm.name == "beside"))
        for arm in long.experiments[0].arms
    ]
    first = msgspec.structs.replace(long.experiments[0], name="cost" * 12, arms=arms)
    long = msgspec.structs.replace(long, experiments=[first, long.experiments[1]])
    void = msgspec.structs.replace(block(2, validity=Validity.VOID, reasons=("because " * 40,)), experiment=first.name)
    blocks = [msgspec.structs.replace(start, experiment=first.name) for start in (proxied(0), proxied(1), void)]
    console = terminal(width)
    lines = drawn(under_way(console, *blocks, plan=long), console)
    assert max(map(len, lines)) <= width


def test_on_a_narrow_terminal_the_time_left_stays() -> None:
    for width, expected in (
        (70, "made-up     cost, in turns with again"),
        (60, "made-up     cost "),
        (30, "made-up     cost "),
        (20, "cost "),
    ):
        console = terminal(width)
        head = drawn(under_way(console, proxied(0)), console)[0]
        assert head.startswith(expected) and head.endswith(" left") and len(head) == width


def test_on_a_narrow_terminal_what_is_done_stays() -> None:
    for width, expected in (
        (72, "now  server start 2 of about 10: loading behind (the others stand still)"),
        (71, "now  server start 2 of about 10: loading behind"),
        (42, "server start 2 of about 10: loading behind"),
    ):
        console = terminal(width)
        assert drawn(under_way(console, proxied(0)), console)[2] == expected


def test_disturbances_take_one_line_with_a_count() -> None:
    console = terminal()
    reasons = [Reason(ReasonKind.STEAL, value=share) for share in (0.12, 0.15)]
    suspect, void = (
        block(number, validity=validity, reasons=(reason,))
        for number, (reason, validity) in enumerate(zip(reasons, (Validity.SUSPECT, Validity.VOID), strict=True))
    )
    lines = drawn(under_way(console, suspect, void, proxied(2)), console)
    assert lines[-2] == "  ! 2 of 3 starts disturbed, 1 done again: the hypervisor kept 12 to 15 % of ..."


def test_an_arm_that_failed_says_so_and_what_a_program_printed_steers_no_terminal() -> None:
    console = terminal()
    failed = block(
        0,
        validity=Validity.VOID,
        failures=(Failure(arm="behind", message="under load: \x1b[2Jgone\nat last", hint="see its log"),),
    )
    lines = drawn(under_way(console, failed), console)
    assert "    hint: see its log" in lines
    assert "  ! behind failed: under load: \N{REPLACEMENT CHARACTER}[2Jgone" in lines
    assert any(line.split() == ["behind", "failed"] for line in lines)


def test_the_experiment_whose_block_runs_is_shown_and_the_disturbances_are_its_own() -> None:
    console = terminal()
    view = under_way(console, proxied(0), proxied(1), block(2, validity=Validity.VOID, reasons=("once",)))
    first, second = view.plan.experiments
    view.block_begins(second, 0)
    lines = drawn(view, console)
    assert lines[0].startswith("made-up     again, in turns with cost")
    assert lines[2] == "now  server start 1"
    assert ["behind", "–"] in [line.split() for line in lines]
    assert not any("disturbed" in line for line in lines), "the report counts by experiment too"
    view.block_begins(first, 3)
    lines = drawn(view, console)
    assert any(line.startswith("  behind ") and "40 %" in line for line in lines)
    assert "  ! 1 of 3 starts disturbed, 1 done again: once" in lines


def test_the_time_left_is_known_once_all_experiments_have_told() -> None:
    console = terminal()
    view = under_way(console, proxied(0))
    first, second = view.plan.experiments
    view.forecast(second, msgspec.structs.replace(FORECAST, seconds=60))
    assert drawn(view, console)[0].endswith("0:00 of 2:35, 2:35 left")
    view.experiment_ends(Ending(experiment=first.name, why=StopReason.PRECISION, detail=""))
    assert any(line.endswith("0:00 of 1:00, 1:00 left") for line in drawn(view, console))


def test_figures_are_computed_once_for_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at each redraw, and never by a slice."""
    console = terminal()
    view = under_way(console, proxied(0))
    calls, compute = [], stop.arms_so_far

    def count(arms: PairedBlocks) -> list[ArmSoFar]:
        calls.append(arms)
        return compute(arms)

    monkeypatch.setattr(stop, "arms_so_far", count)
    for _ in range(5):
        console.print(view)
        view.arm_runs("direct", "load")
    assert calls == []
    view.block_ends(proxied(1))
    console.print(view)
    assert len(calls) == 1


def test_no_color_takes_the_colours_and_leaves_the_words() -> None:
    faulty = block(0, validity=Validity.VOID, reasons=("a reason",))
    coloured, plain = terminal(), terminal(NO_COLOR="1")
    for console in (coloured, plain):
        console.print(under_way(console, faulty))
    colour = re.compile(r"\x1b\[[0-9;]*3\d[;m]")
    assert colour.search(shown(coloured)) and not colour.search(shown(plain))
    assert "a reason" in shown(plain)


def test_without_utf_8_it_is_ascii() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    console = Console(file=file, force_terminal=True, width=80, height=30, _environ={"TERM": "xterm"})
    console.print(under_way(console, proxied(0), proxied(1)))
    file.seek(0)
    text = file.read()
    assert text.isascii()
    assert re.search(r"behind +=+-+ +40 % \(\d+-\d+\) +\+30 us", text)
