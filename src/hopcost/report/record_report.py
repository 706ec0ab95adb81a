"""The report of a record, for every format."""

from __future__ import annotations

from hopcost.record.run import Record
from hopcost.report import Result, csv, json
from hopcost.report.document import Document, Heading, Lines, Section, Style
from hopcost.report.notes import head
from hopcost.report.notes.scope import scope_lines
from hopcost.report.tables import experiment
from hopcost.statistics.summary.summary import ExperimentSummary


def record_report(record: Record, experiments: list[ExperimentSummary]) -> Result:
    """The record's summary as a result."""
    return Result(
        document=lambda: document(record, experiments),
        data=lambda: json.report(record, experiments),
        rows=lambda: csv.record_rows(record, experiments),
        summary=(record, experiments),
    )


def document(record: Record, experiments: list[ExperimentSummary]) -> Document:
    """What ran, then a section for each experiment; the points of a sweep share one."""
    title, *lines = head.head(record)
    top: Section = [Heading(title, level=1), Lines(lines, Style.PARAGRAPHS)]
    sections = [tables.section() for tables in experiment.tables(experiments)]
    scope = scope_lines(experiments)
    last: list[Section] = [[Lines(scope, Style.REMARKS)]] if scope else []
    return Document([top, *sections, *last], wraps=True)
