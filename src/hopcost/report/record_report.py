"""The report of a record, for every format."""

from __future__ import annotations

from collections.abc import Collection

from hopcost.record.contents.run import Record
from hopcost.report import Part, Result
from hopcost.report.brief.next_command import last_lines
from hopcost.report.brief.section import section
from hopcost.report.document import Document, Element, Fold, Heading, Lines, Style
from hopcost.report.formats import csv, json
from hopcost.report.notes import head
from hopcost.report.notes.scope import is_of_servers, reworded, scope_lines, site_lines
from hopcost.report.tables.experiment import groups
from hopcost.statistics.summary.summary import ExperimentSummary


def record_report(record: Record, experiments: list[ExperimentSummary], open_parts: Collection[Part] = ()) -> Result:
    """The record's summary as a result."""
    return Result(
        document=lambda: document(record, experiments, open_parts),
        data=lambda: json.report(record, experiments),
        rows=lambda: csv.record_rows(record, experiments),
        summary=(record, experiments),
    )


def document(record: Record, experiments: list[ExperimentSummary], open_parts: Collection[Part] = ()) -> Document:
    """What ran, a section for each experiment (the points of a sweep share one), and what to do next."""
    warnings = [f"! {warning}" for warning in head.warnings(record)]
    top: list[Element] = [Heading(head.first_line(record), level=1), Lines(warnings, Style.CAUTIONS)]
    sections = [section(record, group, open_parts) for group in groups(experiments)]
    last: list[Element] = [Lines([*site_lines(experiments), *scope_lines(experiments)], Style.CAUTIONS)]
    if not open_parts or Part.MACHINE in open_parts:
        lines = Lines([*head.about(record), *head.machine(record)])
        last.append(Fold("The run and its machine", [lines], is_open=bool(open_parts)))
    whole = Document([top, *sections, last])
    if is_of_servers(record.plan):
        whole = reworded(whole)
    whole.sections.append([Lines(last_lines(record, experiments), Style.VERSE)])
    return whole
