"""Reports: what a verb has to show is a `Result`; each format is a module of `formats` that writes it.

A new format is one file in that folder with `write(result) -> str`, and its lines in `Format` and `FORMATS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING

from hopcost.errors import needs_extra

if TYPE_CHECKING:
    from hopcost.record.contents.run import Record
    from hopcost.report.document import Document
    from hopcost.statistics.summary.summary import ExperimentSummary

Cell = str | float | bool | None  # of a CSV file


class Format(StrEnum):
    """The formats of results; the value is the name of the module that writes the format."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


class Part(StrEnum):
    """A part of a record's details, as `--details=PART` names it."""

    VERDICTS = "verdicts"
    CPU = "cpu"
    LOAD = "load"
    MEMORY = "memory"
    STARTS = "starts"
    NOISE = "noise"
    PUBLISHED = "published"
    MACHINE = "machine"

    @property
    def heading(self) -> str:
        """Its heading."""
        return PART_TITLES[self]


PART_TITLES = {
    Part.VERDICTS: "Verdicts and ratios",
    Part.CPU: "CPU by hop",
    Part.LOAD: "Response times and offered loads",
    Part.MEMORY: "Memory and closed connections",
    Part.STARTS: "Starts: what counted, and how it ran",
    Part.NOISE: "Noise",
    Part.PUBLISHED: "The article's figures",
    Part.MACHINE: "Machine and settings",
}


class Source(Enum):
    """What a format writes of a result; the value is the field of `Result`."""

    DOCUMENT = "document"
    DATA = "data"
    ROWS = "rows"
    SUMMARY = "summary"


FORMATS = {
    Format.TEXT: Source.DOCUMENT,
    Format.MARKDOWN: Source.DOCUMENT,
    Format.JSON: Source.DATA,
    Format.CSV: Source.ROWS,
    Format.HTML: Source.SUMMARY,
}


@dataclass(frozen=True)
class Result:
    """What a verb has to show. Formats call its functions, so that only what is shown is computed.

    All results have a document and data. `data` returns anything that msgspec can encode; `rows` begin with the
    header. Only a record has a `summary`, for formats that draw charts.
    """

    document: Callable[[], Document]
    data: Callable[[], object]
    rows: Callable[[], Iterable[Sequence[Cell]]] | None = None
    summary: tuple[Record, list[ExperimentSummary]] | None = None


def formats_with(*sources: Source) -> list[Format]:
    """The formats that can write a result with these sources."""
    return [format for format, source in FORMATS.items() if source in sources]


def render(result: Result, format: Format) -> str:
    """The result in one format. Only that format's module is loaded: charts take a second.

    CannotMeasure if the format needs packages that are not installed; hopcost's extra for them has the format's name.
    """
    with needs_extra(format.value, f"a report as {format.value}"):
        write: Callable[[Result], str] = importlib.import_module(f"hopcost.report.formats.{format}").write
    return write(result)
