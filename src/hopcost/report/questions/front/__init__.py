"""The answer of `hopcost front`: what to put before the app, what each front costs, and the configuration to take."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.questions.front.data import data
from hopcost.report.questions.front.document import document
from hopcost.statistics.questions.front.result import FrontResult


def front_report(answer: FrontResult, *, details: bool = False) -> Result:
    """The answer as a result."""
    return Result(lambda: document(answer, details=details), lambda: data(answer))
