"""The report as one HTML file that needs nothing else: charts and what draws them, tables, configuration."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.html import page


def write(result: Result) -> str:
    """The page of a record."""
    assert result.summary is not None, "offered for records only"
    return page.render(*result.summary)
