"""The answer of `hopcost conf`: what each directive costs, and the diff that is worth it."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.questions.conf.data import data
from hopcost.report.questions.conf.document import document
from hopcost.statistics.questions.conf.result import ConfResult


def conf_report(answer: ConfResult, *, details: bool = False) -> Result:
    """The answer as a result."""
    return Result(lambda: document(answer, details=details), lambda: data(answer))
