"""Reports: each module turns the summary of a record into one format, and knows nothing else."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """The formats that `hopcost report` writes."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
