"""The answer of `hopcost capacity`: what each stack carries, and its curve of response times."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.questions.capacity.data import data, rows
from hopcost.report.questions.capacity.document import document
from hopcost.statistics.questions.capacity.result import CapacityResult
from hopcost.statistics.summary import summary


def capacity_report(answer: CapacityResult, *, details: bool = False) -> Result:
    """The answer as a result; a page with charts has what ran besides."""
    return Result(
        document=lambda: document(answer, details=details),
        data=lambda: data(answer),
        rows=lambda: rows(answer),
        summary=(answer.record, summary.summarise(answer.record)),
    )
