"""The words and digits that all parts of a gate's answer share."""

from __future__ import annotations

from datetime import datetime

from hopcost.record.contents.run import Run
from hopcost.report import notation
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, duration
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome
from hopcost.statistics.questions.gate.gate import GateResult

WORDS = {GateOutcome.WITHIN: "passed", GateOutcome.BEYOND: "failed", GateOutcome.NOT_SETTLED: "not settled"}
HEADLINES = {GateOutcome.WITHIN: "PASSED", GateOutcome.BEYOND: "FAILED", GateOutcome.NOT_SETTLED: "UNDECIDED"}
NAMES = {THROUGHPUT: "throughput", CPU: "CPU/request"}
EXITS = {
    GateOutcome.WITHIN: "the change is within the margin",
    GateOutcome.BEYOND: "the change is beyond the margin",
    GateOutcome.NOT_SETTLED: "neither passed nor failed",
}
BROKEN_EXIT = "it does not work after the change"
INTERRUPTED_EXIT = "interrupted, nothing is decided"
HOW_SURE = f"each end {CONFIDENCE_IN_TEXT} sure"  # of a range


def exit_words(answer: GateResult) -> str:
    """What the exit code means here."""
    if answer.is_interrupted:
        return INTERRUPTED_EXIT
    decision = answer.decision
    if decision.outcome is GateOutcome.BEYOND and decision.why is not None:
        return BROKEN_EXIT
    return EXITS[decision.outcome]


def elapsed(run: Run) -> list[str]:
    """`70 s`; nothing of a run that did not end."""
    if run.ended_utc is None:
        return []
    length = datetime.fromisoformat(run.ended_utc) - datetime.fromisoformat(run.started_utc)
    return [duration(round(length.total_seconds()))]


def bounds(figure: FigureDecision) -> list[float]:
    """Rounding must hide neither on which side of its limit a range ends, nor on which side of no change."""
    return [1.0, figure.limit]


def decimals(figure: FigureDecision) -> int:
    """Of the change as its row shows it."""
    digits, _, _ = notation.change_parts(figure.ratio, bounds(figure))[0].partition(" ")
    return len(digits.partition(".")[2])
