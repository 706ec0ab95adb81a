"""How many records would settle a gate against a history that one record leaves open."""

from __future__ import annotations

import math

from hopcost.report.questions.history.newest.answer import HistoryGate
from hopcost.statistics.questions.gate.decision import FigureDecision, GateOutcome
from hopcost.statistics.questions.gate.newest import BOUND_ERROR

MOST = 1000  # more is as good as never


def records_needed(answer: HistoryGate, figure: FigureDecision) -> int | None:
    """Records at the newest one's level that settle a figure, if the ratio stays where it is; None if none would."""
    beside = answer.beside.get(figure.figure)
    is_open = figure.outcome is GateOutcome.NOT_SETTLED and figure.figure not in answer.no_verdict
    if not is_open or beside is None or figure.ratio is None:
        return None
    distance = abs(math.log(figure.ratio.value / figure.limit))
    records = beside.newest.records_to_settle(distance, BOUND_ERROR)
    return records if records is not None and records <= MOST else None
