"""A run in a log: a line for each block."""

from __future__ import annotations

import io
import time

import msgspec
import pytest
from rich.console import Console
from samples.blocks import block, plain_block
from samples.records import plan_of

from hopcost.plan.plan import Plan
from hopcost.plan.turns import Turns
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Ending, StopReason
from hopcost.report.live.log import LogLines
from hopcost.statistics.precision.precision import Forecast

FORECAST = Forecast(blocks=6, rounds=12, half_width=0.012, seconds=95)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still."""
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)


def plan_of_two() -> Plan:
    plan = plan_of(quick=False)
    second = msgspec.structs.replace(plan.experiments[0], name="again")
    return msgspec.structs.replace(plan, experiments=[*plan.experiments, second])


def printed(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_line_for_each_block_of_each_experiment_in_turn() -> None:
    console = Console(file=io.StringIO(), width=40)
    plan = plan_of_two()
    lines = LogLines(console, plan)
    first, second = plan.experiments
    for number in range(2):
        for experiment in (first, second):
            if not number:
                lines.experiment_begins(experiment)
            else:
                lines.forecast(experiment, FORECAST)
            lines.block_begins(experiment, number)
            lines.arm_runs("direct", "load")
            lines.block_ends(
                msgspec.structs.replace(plain_block(number, behind=400 + 4 * number), experiment=experiment.name)
            )
    lines.experiment_ends(Ending(experiment="cost", why=StopReason.TIME, detail="2 blocks in the time given"))
    before, after = printed(console)[:2], printed(console)[2:]
    assert before == ["cost start 1  no range yet  30:00 left", "again start 1  no range yet  30:00 left"]
    assert [line.split("  ")[0] for line in after] == ["cost start 2/6", "again start 2/6"]
    assert all(line.split("  ")[1].startswith("widest range ±") for line in after)
    assert [line.split("  ")[2] for line in after] == ["30:00 left", "3:10 left"], "of both, once both have told"


def test_a_soak_has_segments_of_one_start() -> None:
    console = Console(file=io.StringIO(), width=80)
    plan = plan_of_two()
    soak = msgspec.structs.replace(plan.experiments[1], turns=Turns.SOAK, soak_s=60.0)
    lines = LogLines(console, msgspec.structs.replace(plan, experiments=[plan.experiments[0], soak]))
    lines.block_begins(soak, 0)
    lines.block_ends(msgspec.structs.replace(plain_block(0), experiment=soak.name))
    assert printed(console)[0].startswith("again segment 1  ")


def test_disturbances_stand_in_the_line_and_their_reason_once() -> None:
    console = Console(file=io.StringIO(), width=40)
    lines = LogLines(console, plan_of())
    reasons = [Reason(ReasonKind.STEAL, value=share) for share in (0.12, 0.13)]
    for number, (reason, validity) in enumerate(zip(reasons, (Validity.SUSPECT, Validity.VOID), strict=True)):
        lines.block_ends(block(number, validity=validity, reasons=(reason,)))
    assert [line.partition(" left  ")[2] for line in printed(console)] == [
        "disturbed: the hypervisor kept 12 % of the CPU",
        "void, done again",
    ]
    assert [line.split("  ")[0] for line in printed(console)] == ["cost start 1", "cost start 1"]


def test_what_fails_has_a_line_of_its_own() -> None:
    console = Console(file=io.StringIO(), width=40)
    lines = LogLines(console, plan_of())
    lines.block_ends(block(0, validity=Validity.VOID, failures=(Failure("[b]behind", "gone", hint="look"),)))
    lines.experiment_ends(Ending(experiment="cost", why=StopReason.FAILED, detail="no arm is left"))
    assert printed(console)[1:] == ["[b]behind failed: gone", "hint: look", "cost ends: no arm is left"]


def test_without_utf_8_it_is_ascii() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    lines = LogLines(Console(file=file, width=40), plan_of())
    for number in range(2):
        lines.block_ends(plain_block(number, behind=400 + 4 * number))
    file.seek(0)
    assert "widest range +-" in file.read()
