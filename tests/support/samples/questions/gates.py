"""A gate's answer off the mock engine, and what tests change in it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from mocks.gates import measured, question
from mocks.mock_rig import MockRig

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.report import Format, render
from hopcost.report.questions.gate import gate_report
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.questions.gate.decision import FigureDecision, GateDecision, GateOutcome
from hopcost.statistics.questions.gate.gate import GateResult

PASSED, FAILED, OPEN = GateOutcome.WITHIN, GateOutcome.BEYOND, GateOutcome.NOT_SETTLED
LIMITS = {THROUGHPUT: 1 / 1.03, CPU: 1.03}
BUSY = Reason(
    ReasonKind.OTHER_PROGRAMS, value=0.33, programs=[OtherProgram(name="python3", pid=812, cpu_ns=1_000_000_000)]
)


def shown(answer: GateResult) -> GateResult:
    """Without what is new with every test's run."""
    run = msgspec.structs.replace(
        answer.record.run, started_utc="2025-01-02T03:04:05Z", ended_utc="2025-01-02T03:05:15Z"
    )
    asked = msgspec.structs.replace(answer.question, path="small/links/unix")
    content = msgspec.structs.replace(answer.record, run=run, path=Path("records/gate"))
    return msgspec.structs.replace(answer, record=content, question=asked)


@pytest.fixture
def slower(ready: MockRig, tmp_path: Path) -> GateResult:
    """A gate whose side after gives a tenth fewer answers."""
    ready.answers["after"] = 90
    return shown(measured(ready, tmp_path, question(tmp_path, "origin.work_rounds=50")))


def figure(name: str, ends: tuple[float, float, float], outcome: GateOutcome, seconds: float = 0.0) -> FigureDecision:
    """A figure with the low end, value and high end of its ratio; `seconds` settle an open one, 0: nothing does."""
    low, value, high = ends
    settling = Settling(half_width=0.1, target=0.01, starts=10, seconds=seconds) if seconds else None
    ratio = Interval(value=value, low=low, high=high)
    return FigureDecision(name, ratio, LIMITS[name], True, outcome, to_settle=settling)


def decided(answer: GateResult, outcome: GateOutcome, *figures: FigureDecision, why: str | None = None) -> GateResult:
    return msgspec.structs.replace(answer, decision=GateDecision(outcome, list(figures), why))


def disturbed(answer: GateResult, starts: int, *reasons: Reason) -> GateResult:
    """With so many of its six starts disturbed, by python3 if no reasons are given."""
    blocks = [
        msgspec.structs.replace(block, validity=Validity.SUSPECT, reasons=list(reasons or [BUSY]))
        for block in answer.record.blocks[:starts]
    ]
    return msgspec.structs.replace(answer, experiment=msgspec.structs.replace(answer.experiment, suspect=blocks))


def page(answer: GateResult, format: Format = Format.TEXT, *, details: bool = False) -> str:
    return render(gate_report(answer, details=details), format)
