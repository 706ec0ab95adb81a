"""A gate against a history: whether its newest record is within the margin of the stretch before it.

What is compared is the ratio to the baseline, and the spread between records counts: it is learned, never 0. Figures
are decided as those of a gate that measures (gate.py), with the same errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.statistics import intervals
from hopcost.statistics.change_points import LEAST_RECORDS, Newest
from hopcost.statistics.questions.claims.decision import Evidence
from hopcost.statistics.questions.gate.decision import GateDecision, together
from hopcost.statistics.questions.gate.figures import GateFigures
from hopcost.statistics.questions.gate.gate import MeasuredFigure, judge, limit_of, question_of

TOO_FEW = f"fewer than {LEAST_RECORDS} records stand before it"
BOUND_ERROR = 2 * METHOD.confidence_error  # of an interval each of whose ends holds with 95 %


def measure_newest(figure: str, newest: Newest | None, margin: float, why: str | None = None) -> MeasuredFigure:
    """Newest ÷ stretch of one figure, and what it says of the margin, a fraction; `why` if it may say nothing.

    None stands for a record with too few before it.
    """
    question = question_of(figure, margin)
    limit = limit_of(question)
    if newest is None:
        return MeasuredFigure(figure, None, limit, None, why or TOO_FEW)
    ratio = intervals.of_logs(newest.interval(BOUND_ERROR))
    if why is not None:
        return MeasuredFigure(figure, ratio, limit, None, why)
    evidence = Evidence(question.relation, question.allowed, newest.probability_below, margin)
    return MeasuredFigure(figure, ratio, limit, evidence)


def decide_newest(measured: Sequence[MeasuredFigure], deciding: GateFigures) -> GateDecision:
    """The outcome: passed with all deciding figures within the margin, failed with one beyond it."""
    figures = judge(measured, deciding)
    return GateDecision(together([figure.outcome for figure in figures if figure.decides]), figures)
