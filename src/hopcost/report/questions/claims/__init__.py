"""The answer of `hopcost claims`: how many of the claims hold, each with its outcome and figure."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.report import Result
from hopcost.report.questions.claims.data import data, rows
from hopcost.report.questions.claims.document import document
from hopcost.statistics.questions.claims.result import ClaimResult


def claims_report(claims: Sequence[ClaimResult], *, details: bool = False) -> Result:
    """All claims as a result."""
    return Result(
        document=lambda: document(claims, details=details), data=lambda: data(claims), rows=lambda: rows(claims)
    )
