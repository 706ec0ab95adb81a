"""A history: how a figure of an arm went over its records, where it changed, and the newest record beside the rest."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.questions.history.answer import HistoryAnswer
from hopcost.report.questions.history.data import data
from hopcost.report.questions.history.document import document
from hopcost.report.questions.history.rows import rows


def history_report(answer: HistoryAnswer) -> Result:
    """The history of one figure of an arm as a result."""
    return Result(lambda: document(answer), lambda: data(answer), lambda: rows(answer))
