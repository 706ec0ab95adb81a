"""What a gate makes of a measured change: within the margin, beyond it, or not settled.

A gate is a claim: throughput is at least 1 ÷ (1 + margin), and CPU per request at most 1 + margin. It passes if both
hold and fails if one does not, each wrongly in at most 5 % of gates (claims/decision.py). explain/verdicts/gate.md
has why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from hopcost.errors import Interrupted
from hopcost.plan.method import METHOD
from hopcost.record.contents.run import Record
from hopcost.statistics import figures as block_figures
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.claims.decision import Bound, ClaimOutcome, Decision, Evidence
from hopcost.statistics.questions.claims.decision import decide as decide_claim
from hopcost.statistics.questions.evidence import Question, measure_ratio, time_to_settle, weigh_ratio
from hopcost.statistics.questions.gate.decision import (
    AFTER,
    BEFORE,
    FigureDecision,
    GateDecision,
    GateOutcome,
    decide,
    was_interrupted,
)
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.statistics.summary import summary
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.statistics.validity.grounds import GENERATOR_FULL
from hopcost.suites.articles.claim import Relation

EXPERIMENT = "gate"  # its name in the suite that a gate makes up
FIGURES = {GateFigures.BOTH: (THROUGHPUT, CPU), GateFigures.THROUGHPUT: (THROUGHPUT,), GateFigures.CPU: (CPU,)}


class MeasuredFigure(msgspec.Struct, frozen=True):
    """A figure before it is decided: after ÷ before, and what it says of the margin; `why` if it may say nothing."""

    figure: str
    ratio: Interval | None
    limit: float
    evidence: Evidence | None
    why: str | None = None


def measure_figures(experiment: ExperimentSummary, arms: PairedBlocks, margin: float) -> list[MeasuredFigure]:
    """Throughput and CPU per request of `after` beside `before`; `margin` is a fraction."""
    return [_measure(experiment, arms, THROUGHPUT, margin), _measure(experiment, arms, CPU, margin)]


def _measure(experiment: ExperimentSummary, arms: PairedBlocks, figure: str, margin: float) -> MeasuredFigure:
    question = question_of(figure, margin)
    limit = limit_of(question)
    arm = next((arm for arm in experiment.arms if arm.name == AFTER), None)
    comparison = None if arm is None else arm.comparison(figure)
    ratio = measure_ratio(arms, question, 2 * METHOD.confidence_error)
    if comparison is None or ratio is None:
        return MeasuredFigure(figure, ratio, limit, None, "it is not known here")
    if comparison.no_verdict is not None:
        return MeasuredFigure(figure, ratio, limit, None, comparison.no_verdict)
    return MeasuredFigure(figure, ratio, limit, weigh_ratio(arms, question))


def question_of(figure: str, margin: float) -> Question:
    """What a gate asks of a figure; `margin` is a fraction."""
    if figure == THROUGHPUT:
        allowed = (1 / (1 + margin), math.inf)
        return Question(AFTER, BEFORE, block_figures.throughput, Relation.AT_LEAST, allowed, margin)
    return Question(AFTER, BEFORE, block_figures.cpu_per_request, Relation.AT_MOST, (0.0, 1 + margin), margin)


def limit_of(question: Question) -> float:
    """The ratio that must not be crossed."""
    return question.allowed[0 if question.relation is Relation.AT_LEAST else 1]


def judge(measured: Sequence[MeasuredFigure], deciding: GateFigures) -> list[FigureDecision]:
    """The figures that decide share the error of a failure; another one is judged by itself."""
    chosen = FIGURES[deciding]
    decisions = iter(decide_claim([figure.evidence for figure in measured if figure.figure in chosen]))
    return [
        _decided(figure, next(decisions), decides=True)
        if figure.figure in chosen
        else _decided(figure, decide_claim([figure.evidence])[0], decides=False)
        for figure in measured
    ]


def _decided(measured: MeasuredFigure, decision: Decision, *, decides: bool) -> FigureDecision:
    outcomes = {ClaimOutcome.HOLDS: GateOutcome.WITHIN, ClaimOutcome.DOES_NOT_HOLD: GateOutcome.BEYOND}
    outcome = outcomes.get(decision.outcome, GateOutcome.NOT_SETTLED)
    why = measured.why or _why_open(measured) if outcome is GateOutcome.NOT_SETTLED else None
    return FigureDecision(measured.figure, measured.ratio, measured.limit, decides, outcome, decision.p_value, why)


def _why_open(measured: MeasuredFigure) -> str:
    ratio, evidence = measured.ratio, measured.evidence
    if evidence is None or ratio is None or ratio.low is None or ratio.high is None:
        return "it is not known here"
    if evidence.bound is not Bound.NONE:
        return GENERATOR_FULL
    if ratio.low <= measured.limit <= ratio.high:
        return "its range lies on both sides of the limit"
    return "its range lies beyond the limit, but not clearly enough for one of two figures"


# How narrow a gate's ratios must be, as a share of the margin. The half-width is 1.96 standard errors, so the margin is
# 2.94 of them: 1.65 for the bound and 1.29 for chance. So an arm that did not change passes 9 times in 10.
PRECISION_SHARE = 2 / 3


class GateQuestion(msgspec.Struct, frozen=True):
    """What a gate asks; `margin` is a fraction. Settings are words like `nginx.access_log=on`.

    `is_same` if they make both sides alike.
    """

    path: str
    before: list[str]
    after: list[str]
    margin: float
    deciding: GateFigures
    is_same: bool = False


class GateResult(msgspec.Struct, frozen=True):
    """The decision with what it was read off."""

    question: GateQuestion
    decision: GateDecision
    experiment: ExperimentSummary
    record: Record

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody stopped it."""
        return was_interrupted(self.experiment)

    @property
    def exit_code(self) -> int:
        """What the gate ends with."""
        return Interrupted.exit_code if self.is_interrupted else self.decision.outcome.exit_code


def read_gate(question: GateQuestion, record: Record) -> GateResult:
    """The decision that a gate's record holds."""
    (experiment,) = summary.summarise(record)
    arms = RecordBlocks(record.plan.experiments, record.blocks).of(experiment.plan)
    measured = measure_figures(experiment, arms, question.margin)
    sharing = len(FIGURES[question.deciding])
    figures = [
        decision
        if figure.evidence is None
        else _forecast(decision, arms, question.margin, sharing if decision.decides else 1)
        for figure, decision in zip(measured, judge(measured, question.deciding), strict=True)
    ]
    return GateResult(question, decide(experiment, figures), experiment, record)


def _forecast(figure: FigureDecision, arms: PairedBlocks, margin: float, sharing: int) -> FigureDecision:
    """With the time that would settle it, beside so many figures that share the error of a failure."""
    if figure.outcome is not GateOutcome.NOT_SETTLED:
        return figure
    settling = time_to_settle(arms, question_of(figure.figure, margin), sharing)
    return msgspec.structs.replace(figure, to_settle=settling)
