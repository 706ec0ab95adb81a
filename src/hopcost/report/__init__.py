"""Reports: each module turns the summary of a record into one format, and knows nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopcost.record.run import Record
    from hopcost.statistics.summary.summary import ExperimentSummary


class Format(StrEnum):
    """What every result can be shown as."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


class ClaimsFormat(StrEnum):
    """What judged claims can be shown as."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


class RecordFormat(StrEnum):
    """What a record can be shown as: each is a module of this folder."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


def renderer(format: RecordFormat) -> Callable[[Record, list[ExperimentSummary]], str]:
    """The `render` of the module that is called like the format: only that one is loaded, charts take a second."""
    render: Callable[[Record, list[ExperimentSummary]], str] = importlib.import_module(
        f"hopcost.report.{format}"
    ).render
    return render
