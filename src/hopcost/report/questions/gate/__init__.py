"""A gate's answer: whether the change is within its margin, on a terminal, in a pull request and as JSON."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.questions.gate.data import data
from hopcost.report.questions.gate.document import document
from hopcost.statistics.questions.gate.gate import GateResult


def gate_report(answer: GateResult, *, details: bool = False) -> Result:
    """The outcome as a result. Its Markdown can be appended to a pull request's summary."""
    return Result(lambda: document(answer, details=details), lambda: data(answer))
