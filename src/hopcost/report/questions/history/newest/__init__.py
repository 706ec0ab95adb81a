"""A gate against a history: the answer as text, Markdown and JSON."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.questions.history.newest.answer import HistoryGate
from hopcost.report.questions.history.newest.data import data
from hopcost.report.questions.history.newest.document import document


def history_gate_report(answer: HistoryGate) -> Result:
    """The outcome as a result. Its Markdown can be appended to a pull request's summary."""
    return Result(lambda: document(answer), lambda: data(answer))
