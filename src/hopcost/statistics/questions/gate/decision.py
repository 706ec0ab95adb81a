"""A gate's outcome out of its figures: passed, failed or not settled, and why."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from hopcost.record.contents.run import StopReason
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.summary.summary import ExperimentSummary

BEFORE, AFTER = "before", "after"
ERRORS_AT_MOST = 0.001  # of after's answers, where before has less than a tenth of their share


class GateOutcome(Enum):
    """Of a figure, and of the gate."""

    WITHIN = "within the margin"
    BEYOND = "beyond the margin"
    NOT_SETTLED = "not settled"

    @property
    def exit_code(self) -> int:
        """What the gate ends with."""
        return {GateOutcome.WITHIN: 0, GateOutcome.BEYOND: 1, GateOutcome.NOT_SETTLED: 4}[self]


class FigureDecision(msgspec.Struct, frozen=True):
    """One figure: after ÷ before, the `limit` that it must not cross, and what came of it.

    Each end of the ratio's interval is a bound that holds with 95 %. `p_value` is that of the outcome; `why` says why
    it is not settled, `to_settle` what an answer would still take; None of a figure that time alone does not settle.
    """

    figure: str
    ratio: Interval | None
    limit: float
    decides: bool
    outcome: GateOutcome
    p_value: float | None = None
    why: str | None = None
    to_settle: Settling | None = None

    @property
    def leans_beyond(self) -> bool:
        """Whether the measured ratio itself is beyond the limit."""
        return self.ratio is not None and (
            self.ratio.value < self.limit if self.figure == THROUGHPUT else self.ratio.value > self.limit
        )


class GateDecision(msgspec.Struct, frozen=True):
    """The gate's outcome; `why` is its reason if no figure has one."""

    outcome: GateOutcome
    figures: list[FigureDecision]
    why: str | None = None

    @property
    def to_settle(self) -> Settling | None:
        """What an answer still takes: the first failure if a figure leans beyond its limit, else the last pass.

        None if the gate is settled, or if time alone does not settle it.
        """
        if self.outcome is not GateOutcome.NOT_SETTLED or self.why is not None:
            return None
        undecided = [figure for figure in self.figures if figure.decides and figure.outcome is GateOutcome.NOT_SETTLED]
        failures = [figure.to_settle for figure in undecided if figure.leans_beyond and figure.to_settle is not None]
        if failures:
            return min(failures, key=lambda settling: settling.starts)
        passes = [figure.to_settle for figure in undecided if figure.to_settle is not None]
        is_known = len(passes) == len(undecided)
        return max(passes, key=lambda settling: settling.starts, default=None) if is_known else None


def decide(experiment: ExperimentSummary, figures: Sequence[FigureDecision]) -> GateDecision:
    """The outcome of a gate's experiment, out of its figures.

    It fails with any deciding figure beyond the margin, or if `after` failed or answers wrongly under load. It passes
    with all within, and never if the experiment has no verdicts. One that somebody stopped decides nothing: whoever
    stops it as soon as the figures please would choose the outcome.
    """
    figures = list(figures)
    if was_interrupted(experiment):
        return GateDecision(GateOutcome.NOT_SETTLED, [_left_open(figure) for figure in figures], "interrupted")
    failed = {failure.arm: failure.message for failure in experiment.failures}
    if AFTER in failed and not any(name.startswith(BEFORE) for name in failed):
        return GateDecision(GateOutcome.BEYOND, figures, f"{AFTER} failed: {failed[AFTER]}")
    if failed:
        reasons = "; ".join(f"{name} failed: {why}" for name, why in failed.items())
        return GateDecision(GateOutcome.NOT_SETTLED, figures, reasons)
    broken = _broken(experiment)
    if broken is not None:
        return GateDecision(GateOutcome.BEYOND, figures, broken)
    if experiment.no_verdicts is not None:
        return GateDecision(GateOutcome.NOT_SETTLED, figures, experiment.no_verdicts)
    if not any(arm.name == AFTER for arm in experiment.arms):
        reasons = "; ".join(f"{arm.name} is left out: {arm.reason}" for arm in experiment.plan.left_out)
        return GateDecision(GateOutcome.NOT_SETTLED, figures, reasons or "nothing was measured")
    return GateDecision(together([figure.outcome for figure in figures if figure.decides]), figures)


def was_interrupted(experiment: ExperimentSummary) -> bool:
    """Whether somebody stopped it; one that was killed has no ending."""
    return experiment.ending is None or experiment.ending.why is StopReason.INTERRUPTED


def _left_open(figure: FigureDecision) -> FigureDecision:
    return msgspec.structs.replace(figure, outcome=GateOutcome.NOT_SETTLED, p_value=None, why=None, to_settle=None)


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
    return GateOutcome.WITHIN if set(outcomes) == {GateOutcome.WITHIN} else GateOutcome.NOT_SETTLED
