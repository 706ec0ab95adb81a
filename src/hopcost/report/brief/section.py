"""An experiment, or a sweep, in short, with its details folded behind it."""

from __future__ import annotations

from collections.abc import Collection

from hopcost.record.contents.run import Record
from hopcost.report import Part
from hopcost.report.brief import answer, sweep
from hopcost.report.brief.cautions.cautions import cautions
from hopcost.report.brief.forms.repeats import repeats_cautions, repeats_table
from hopcost.report.brief.forms.restart import restart_cautions, restart_table
from hopcost.report.brief.forms.soak import soak_cautions, soak_table
from hopcost.report.brief.forms.worth import worth_sentence, worth_table
from hopcost.report.brief.load import has_medians, load_shown, median_line
from hopcost.report.brief.table import MEDIAN, bars_of
from hopcost.report.document import Element, Fold, Heading, Lines, Section, Style
from hopcost.report.tables.beside import beside_lines
from hopcost.report.tables.details import details
from hopcost.report.tables.experiment import group_title
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.experiments.shown import ShownTable

MOST_VALUES = 8  # of a sweep in one screen; more are shown all the same, and all cautions below them


def section(record: Record, group: list[ExperimentSummary], open_parts: Collection[Part]) -> Section:
    """The elements of a group: the points of a sweep, or one experiment."""
    first = group[0]
    heading = Heading(group_title(group), about=first.plan.question)
    return [heading, *_brief(record, group, is_whole=bool(open_parts)), *_details(group, open_parts)]


def _brief(record: Record, group: list[ExperimentSummary], *, is_whole: bool) -> list[Element]:
    """What stands above the details. `is_whole`: with all cautions, however many lines they take."""
    first = group[0]
    if any(experiment.repeats for experiment in group):
        below = Lines(repeats_cautions(group), Style.CAUTIONS)
        return [Lines([answer.sentence(first)], Style.ANSWER), repeats_table(group), below]
    if first.plan.restart is not None and first.arms:
        sentence = Lines([answer.sentence(first)], Style.ANSWER)
        entries = [[entry] for entry in restart_cautions(first)]
        return [sentence, restart_table(first), _below(entries, is_whole=is_whole)]
    if first.plan.table is ShownTable.WORTH and any(point.arms for point in group):
        return _worth(record, group, is_whole=is_whole)
    if first.plan.point is not None:
        bars, entries = sweep.sweep_bars(group), sweep.sweep_cautions(record, group)
        is_long = is_whole or len(bars.rows) > MOST_VALUES
        return [Lines([sweep.sentence(group)], Style.ANSWER), bars, _below(entries, is_whole=is_long)]
    sentence = Lines([answer.sentence(first)], Style.ANSWER)
    if first.soak:
        return [sentence, soak_table(first), Lines(soak_cautions(first), Style.CAUTIONS)]
    load = load_shown(first)
    bars = bars_of(first, load)
    medians = median_line(first, load) if has_medians(first, load) and MEDIAN not in bars.header else ""
    entries = cautions(record, first, load, medians)
    beside = beside_lines(first)
    return [sentence, bars, *([Lines(beside)] if beside else []), _below(entries, is_whole=is_whole)]


def _worth(record: Record, group: list[ExperimentSummary], *, is_whole: bool) -> list[Element]:
    """Costs and benefits in one table."""
    first = group[0]
    if first.plan.point is not None:
        sentence, entries = worth_sentence(group), sweep.sweep_cautions(record, group)
    else:
        sentence, entries = answer.sentence(first), cautions(record, first, load_shown(first))
    return [Lines([sentence], Style.ANSWER), worth_table(group), _below(entries, is_whole=is_whole)]


def _below(entries: list[list[str]], *, is_whole: bool) -> Lines:
    """Cautions, of which a terminal may leave out the last ones, unless all are asked for."""
    if is_whole:
        return Lines([" ".join(entry) for entry in entries], Style.CAUTIONS)
    return Lines.of_sentences(entries, Style.CAUTIONS)


def _details(group: list[ExperimentSummary], open_parts: Collection[Part]) -> list[Element]:
    """A fold for each part that has something; if parts are asked for, these alone, open."""
    parts = details(group)
    if open_parts:
        return [Fold(part.heading, elements, is_open=True) for part, elements in parts.items() if part in open_parts]
    return [Fold(part.heading, elements) for part, elements in parts.items()]
