"""The report as one HTML file that needs nothing else: answers, tables, configuration, charts and what draws them."""

from __future__ import annotations

from hopcost.report import Result
from hopcost.report.formats.html import page


def write(result: Result) -> str:
    """The page of a record."""
    return page.render(result)
