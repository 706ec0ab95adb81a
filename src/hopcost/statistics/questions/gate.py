"""What a gate makes of a measured change: within the margin, beyond it, or undecided.

The slow end of the interval decides that a change is within the margin, the other end that it is beyond. Each end is a
bound that holds with 97.5 % over all looks, so that both figures' bounds hold together with 95 % (Bonferroni): neither
a pass nor a failure is wrong in more than 5 % of gates. docs/gate.md has why.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from hopcost.record.run import Record
from hopcost.statistics.comparisons import CPU, THROUGHPUT, Comparison
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.gate_figures import GateFigures
from hopcost.statistics.summary import summary
from hopcost.statistics.summary.summary import ExperimentSummary

EXPERIMENT = "gate"  # its name in the suite that a gate makes up
BEFORE, AFTER = "before", "after"
ERRORS_AT_MOST = 0.001  # of after's answers, where before has less than a tenth of their share
FIGURES = {GateFigures.BOTH: (THROUGHPUT, CPU), GateFigures.THROUGHPUT: (THROUGHPUT,), GateFigures.CPU: (CPU,)}


class GateOutcome(Enum):
    """Of a figure, and of the gate."""

    WITHIN = "within the margin"
    BEYOND = "beyond the margin"
    UNDECIDED = "undecided"

    @property
    def exit_code(self) -> int:
        """What the gate ends with."""
        return {GateOutcome.WITHIN: 0, GateOutcome.BEYOND: 1, GateOutcome.UNDECIDED: 4}[self]


class FigureDecision(msgspec.Struct, frozen=True):
    """One figure: after ÷ before, the `limit` that it must not cross, and what came of it. `why` if undecided."""

    figure: str
    ratio: Interval | None
    limit: float
    decides: bool
    outcome: GateOutcome
    why: str | None = None


class GateDecision(msgspec.Struct, frozen=True):
    """The gate's outcome; `why` is its reason if no figure has one."""

    outcome: GateOutcome
    figures: list[FigureDecision]
    why: str | None = None


def decide(experiment: ExperimentSummary, deciding: GateFigures, margin: float) -> GateDecision:
    """The outcome for the arm `after` of a gate's experiment; `margin` is a fraction.

    It fails with any deciding figure beyond the margin, or where `after` failed or answers wrongly under load, and
    passes with all within.
    """
    arm = next((arm for arm in experiment.arms if arm.name == AFTER), None)
    comparisons = {each.figure: each for each in arm.comparisons if each.load_per_s is None} if arm else {}
    figures = [
        judge(comparisons.get(name), name, margin, decides=name in FIGURES[deciding]) for name in (THROUGHPUT, CPU)
    ]
    failed = {each.arm: each.message for each in experiment.failures}
    if AFTER in failed and not any(name.startswith(BEFORE) for name in failed):
        return GateDecision(GateOutcome.BEYOND, figures, f"{AFTER} failed: {failed[AFTER]}")
    if failed:
        return GateDecision(
            GateOutcome.UNDECIDED, figures, "; ".join(f"{name} failed: {why}" for name, why in failed.items())
        )
    broken = _broken(experiment)
    if broken is not None:
        return GateDecision(GateOutcome.BEYOND, figures, broken)
    if experiment.no_verdicts is not None:
        return GateDecision(GateOutcome.UNDECIDED, figures, experiment.no_verdicts)
    if arm is None:
        reasons = [f"{left.name} is left out: {left.reason}" for left in experiment.plan.left_out]
        return GateDecision(GateOutcome.UNDECIDED, figures, "; ".join(reasons) or "nothing was measured")
    return GateDecision(together([each.outcome for each in figures if each.decides]), figures)


def _broken(experiment: ExperimentSummary) -> str | None:
    """What went wrong under load after the change that did not before it; None if nothing did, but for accidents."""
    arms = {arm.name: arm for arm in experiment.arms}
    if not {BEFORE, AFTER} <= set(arms):
        return None
    before, after = (sum(arms[name].errors.values()) / max(1, arms[name].answers) for name in (BEFORE, AFTER))
    if after <= ERRORS_AT_MOST or before > after / 10:
        return None
    kinds = ", ".join(f"{number} {kind}" for kind, number in arms[AFTER].errors.items() if number)
    return f"{AFTER} had errors under load: {kinds} beside {arms[AFTER].answers:,} correct answers"


def together(outcomes: Sequence[GateOutcome]) -> GateOutcome:
    """Of several figures: beyond with any of them, within with all."""
    if GateOutcome.BEYOND in outcomes:
        return GateOutcome.BEYOND
    return GateOutcome.WITHIN if set(outcomes) == {GateOutcome.WITHIN} else GateOutcome.UNDECIDED


def judge(comparison: Comparison | None, figure: str, margin: float, *, decides: bool = True) -> FigureDecision:
    """One figure against the margin."""
    limit = 1 / (1 + margin) if figure == THROUGHPUT else 1 + margin
    ratio = None if comparison is None else comparison.ratio
    outcome, why = _outcome(comparison, figure, margin)
    return FigureDecision(figure=figure, ratio=ratio, limit=limit, decides=decides, outcome=outcome, why=why)


def _outcome(comparison: Comparison | None, figure: str, margin: float) -> tuple[GateOutcome, str | None]:
    """The outcome, and the reason if it is undecided."""
    if comparison is None or comparison.ratio is None:
        return GateOutcome.UNDECIDED, "it is not known here"
    low, high = comparison.ratio.low, comparison.ratio.high
    if comparison.no_verdict is not None:
        return GateOutcome.UNDECIDED, comparison.no_verdict
    if low is None or high is None:
        return GateOutcome.UNDECIDED, "one block gives no interval"
    # How many times slower, or dearer, than before: from the least to the most that the interval allows.
    least, most = (1 / high, 1 / low) if figure == THROUGHPUT else (low, high)
    if least > 1 + margin:
        return GateOutcome.BEYOND, None
    if most > 1 + margin:
        return GateOutcome.UNDECIDED, "a part of the interval reaches beyond the margin"
    return GateOutcome.WITHIN, None


TARGET_SHARE = 1 / 10  # of the margin: so narrow that in practice the margin's ends or the time stop the run


class GateQuestion(msgspec.Struct, frozen=True):
    """What a gate asks; `margin` is a fraction. Settings are words like `nginx.access_log=on`."""

    path: str
    before: list[str]
    after: list[str]
    margin: float
    deciding: GateFigures


class GateResult(msgspec.Struct, frozen=True):
    """The decision with what it was read off; `is_same` if both sides are alike."""

    question: GateQuestion
    decision: GateDecision
    experiment: ExperimentSummary
    record: Record
    is_same: bool


def read_gate(question: GateQuestion, record: Record, is_same: bool) -> GateResult:
    """The decision that a gate's record holds."""
    (experiment,) = summary.summarise(record)
    decided = decide(experiment, question.deciding, question.margin)
    return GateResult(question=question, decision=decided, experiment=experiment, record=record, is_same=is_same)
