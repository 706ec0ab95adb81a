"""The live view and the plain lines, on consoles that keep what is drawn."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable

import msgspec
import pytest
from rich.console import Console
from samples.records import block, part, plain_block, plan_of, slice_of

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.plan import Plan
from hopcost.record.block import Block, Failure
from hopcost.record.reason import Reason, ReasonKind
from hopcost.record.run import Ending, StopReason
from hopcost.report.live import watch
from hopcost.report.live.progress import PlainLines
from hopcost.report.live.view import View
from hopcost.statistics import stop
from hopcost.statistics.precision import Forecast

NOW_S = 1000.0
FORECAST = Forecast(blocks=10, rounds=12, half_width=0.012, seconds=95)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still."""
    monkeypatch.setattr(time, "monotonic", lambda: NOW_S)


def terminal(width: int = 80, **environment: str) -> Console:
    """A terminal of 30 lines that keeps what is drawn; as a real one it asks the environment for colours."""
    return Console(
        file=io.StringIO(), force_terminal=True, width=width, height=30, highlight=False,
        _environ={"TERM": "xterm-256color"} | environment,
    )  # fmt: skip


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def plan_of_two() -> Plan:
    plan = plan_of(quick=False)
    second = msgspec.structs.replace(plan.experiments[0], name="again")
    return msgspec.structs.replace(plan, experiments=[*plan.experiments, second])


def under_way(console: Console, *blocks: Block, plan: Plan | None = None) -> View:
    """A view of an experiment whose blocks are these, in the fourth round of the next one."""
    plan = plan or plan_of_two()
    view = View(console, plan)
    first = plan.experiments[0]
    view.experiment_begins(first)
    for number, each in enumerate(blocks):
        view.block_begins(first, number)
        view.block_ends(each)
    view.forecast(first, FORECAST)
    view.block_begins(first, len(blocks))
    view.arm_runs("direct", "warm-up")
    for _ in range(4):
        view.arm_runs("direct", "load")
        view.arm_runs("behind", "load")
    return view


def drawn(view: View, console: Console) -> list[str]:
    console.print(view)
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", shown(console)).splitlines()]


def with_errors() -> Block:
    made = plain_block(1, behind=440)
    made.arms[1] = part(slice_of("behind", 440, errors={"timeout": 1200, "read": 3}))
    return made


def test_the_view() -> None:
    void = block(2, validity=Validity.VOID, reasons=("the hypervisor kept 12% of the time of 2 cores",))
    console = terminal()
    view = under_way(console, plain_block(0), with_errors(), void)
    assert drawn(view, console) == [
        "made-up/cost (1 of 2): What does the proxy cost?",
        "block 4, round 4: load behind",
        "━━━━━━━━━━━━━━━━━━━━━━━━ about 1:35 left: ±1.2% after 10 blocks",
        "                         at most 30:00",
        "",
        " arm                 ratio [95%]  CPU added, µs [95%]  errors",
        " ────────────────────────────────────────────────────────────",
        " direct             1 (baseline)                    –       0",
        " behind     0.420 [0.264, 0.666]                    –   1,203",
        " beside                        –                    –       0",
        " direct-aa  1.000 [0.797, 1.255]                    –       0",
        "",
        "block 3 is void: the hypervisor kept 12% of the time of 2 cores",
    ]


def test_nothing_is_wider_than_the_terminal() -> None:
    long = plan_of_two()
    arms = [
        msgspec.structs.replace(arm, name=arm.name + "-with-a-very-long-name" * 2) for arm in long.experiments[0].arms
    ]
    arms = [long.experiments[0].arms[0], *arms[1:]]
    first = msgspec.structs.replace(long.experiments[0], arms=arms, question="Why? " * 40)
    long = msgspec.structs.replace(long, experiments=[first, long.experiments[1]])
    void = block(1, validity=Validity.VOID, reasons=("because " * 40,))
    for width in (40, 80, 132):
        console = terminal(width)
        lines = drawn(under_way(console, plain_block(0), void, plan=long), console)
        assert max(map(len, lines)) <= width
        assert len(lines) == 13, "no line wraps"


def test_the_last_faults_stay_visible() -> None:
    console = terminal()
    faulty = [block(number, validity=Validity.SUSPECT, reasons=(f"reason {number}",)) for number in range(7)]
    lines = drawn(under_way(console, *faulty), console)
    assert lines[-5:] == [
        "… 3 more before",
        "block 4 is suspect: reason 3",
        "block 5 is suspect: reason 4",
        "block 6 is suspect: reason 5",
        "block 7 is suspect: reason 6",
    ]


def test_a_block_with_many_reasons_takes_one_line() -> None:
    console = terminal(width=160)
    late = [Reason(ReasonKind.LATE, arm, 1600, share) for arm, share in (("direct", 0.061), ("behind", 0.072))]
    faulty = block(2, validity=Validity.SUSPECT, reasons=(*late, "the clock jumped", "it swapped"))
    late_words = "6.1 to 7.2 % of the requests were sent late though a connection was free"
    expected = f"block 3 is suspect: direct and behind at 1,600/s: {late_words}; and 2 more"
    assert drawn(under_way(console, faulty), console)[-1] == expected


def test_an_arm_that_failed_says_so_and_what_a_program_printed_steers_no_terminal() -> None:
    console = terminal()
    failed = block(
        0, validity=Validity.VOID, failures=(Failure(arm="behind", message="under load: \x1b[2Jgone\nat last"),)
    )
    lines = drawn(under_way(console, failed), console)
    assert lines[-1] == "behind failed: under load: \N{REPLACEMENT CHARACTER}[2Jgone"
    assert any(line.split() == ["behind", "failed", "–", "–"] for line in lines)


def test_the_next_experiment_has_its_own_blocks_and_the_first_ones_stay() -> None:
    """Blocks of experiments take turns."""
    console = terminal()
    view = under_way(console, plain_block(0), block(1, validity=Validity.VOID, reasons=("once",)))
    first, second = view.plan.experiments
    view.experiment_begins(second)
    view.block_begins(second, 0)
    lines = drawn(view, console)
    assert lines[0].startswith("made-up/again (2 of 2): ")
    assert lines[1] == "block 1"
    assert lines[2].strip("━ ") == "at most 30:00", "nothing is expected of it yet"
    assert [line.split()[1] for line in lines if line.startswith(" behind ")] == ["–"]
    assert lines[-1] == "block 2 is void: once", "faults are the run's"
    view.block_begins(first, 2)
    assert any("about 1:35 left" in line for line in drawn(view, console))
    assert [arm.name for arm in view.plan.experiments[0].arms] and len(view.blocks["cost"]) == 2


def test_what_all_experiments_are_expected_to_take_adds_up_and_one_that_ends_takes_none() -> None:
    view = under_way(terminal(), plain_block(0))
    first, second = view.plan.experiments
    view.forecast(second, msgspec.structs.replace(FORECAST, seconds=60))
    assert view.clock.expected_s == 95 + 60
    view.experiment_ends(Ending(experiment=first.name, why=StopReason.PRECISION, detail=""))
    assert view.clock.expected_s == 60
    view.forecast(second, msgspec.structs.replace(FORECAST, seconds=1e6))
    assert view.clock.expected_s == view.clock.left_s == 1800


def test_figures_are_computed_once_for_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at each redraw, and never by a slice."""
    calls: list[tuple[object, ...]] = []

    def compute(*given: object) -> list[object]:
        calls.append(given)
        return []

    monkeypatch.setattr(stop, "arms_so_far", compute)
    console = terminal()
    view = under_way(console, plain_block(0))
    for _ in range(5):
        console.print(view)
        view.arm_runs("direct", "load")
    assert len(calls) == 1
    view.block_ends(plain_block(1))
    console.print(view)
    console.print(view)
    assert len(calls) == 2


def test_no_color_takes_the_colours_and_leaves_the_words() -> None:
    faulty = block(0, validity=Validity.VOID, reasons=("a reason",))
    coloured, plain = terminal(), terminal(NO_COLOR="1")
    for console in (coloured, plain):
        console.print(under_way(console, faulty))
    colour = re.compile(r"\x1b\[[0-9;]*3\d[;m]")
    assert colour.search(shown(coloured)) and not colour.search(shown(plain))
    assert "a reason" in shown(plain)


# Which watcher


def watcher_on(console: Console) -> str:
    with watch.watch(console, plan_of()) as watcher:
        return type(watcher).__name__


def test_the_console_decides() -> None:
    assert watcher_on(terminal()) == "View"
    assert watcher_on(terminal(TERM="dumb")) == "PlainLines"
    assert watcher_on(Console(file=io.StringIO())) == "PlainLines"
    quiet = Console(file=io.StringIO(), force_terminal=True, quiet=True)
    assert watcher_on(quiet) == "PlainLines"


def test_a_quiet_console_prints_nothing() -> None:
    file, plan = io.StringIO(), plan_of()
    with watch.watch(Console(file=file, force_terminal=True, quiet=True), plan) as watcher:
        watcher.experiment_begins(plan.experiments[0])
        watcher.block_begins(plan.experiments[0], 0)
        watcher.arm_runs("direct", "start")
        watcher.block_ends(plain_block(0))
    assert file.getvalue() == ""


@pytest.mark.parametrize("ending", [None, KeyboardInterrupt, ValueError])
def test_the_terminal_is_left_clean_whatever_ends_the_run(ending: Callable[[], BaseException] | None) -> None:
    """The cursor is hidden while it is drawn, and shown again; the view is taken away line by line."""
    console = terminal()
    try:
        with watch.watch(console, plan_of_two()) as view:
            view.experiment_begins(plan_of_two().experiments[0])
            view.block_ends(plain_block(0))
            assert shown(console).count("\x1b[?25l") == 1
            if ending is not None:
                raise ending()
    except (KeyboardInterrupt, ValueError):
        pass
    assert shown(console).rindex("\x1b[?25h") > shown(console).rindex("made-up/cost")
    assert shown(console).endswith("\x1b[1A\x1b[2K")


# Plain lines


def test_plain_lines() -> None:
    console = Console(file=io.StringIO(), width=40)
    lines = PlainLines(console, plan_of_two())
    first = plan_of_two().experiments[0]
    lines.experiment_begins(first)
    for number, each in enumerate((plain_block(0), with_errors(), block(2, validity=Validity.VOID, reasons=("[b]",)))):
        lines.block_begins(first, number)
        lines.arm_runs("direct", "load")
        lines.block_ends(each)
        lines.forecast(first, FORECAST)
    lines.experiment_ends(Ending(experiment="cost", why=StopReason.TIME, detail="2 blocks in the time given"))
    assert shown(console).splitlines() == [
        "cost (1 of 2): 4 arms",
        "cost: block 1 valid, 1800 s left",
        "cost: expected: ±1.2% after 10 blocks",
        "cost: block 2 valid, widest range ±47.9 %, 1800 s left",
        "cost: block 3 void, widest range ±47.9 %, 1800 s left",
        "block 3 is void: [b]",
        "cost: 2 blocks in the time given",
    ]
