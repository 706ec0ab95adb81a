"""All that a record says of an experiment beyond the default report, part by part."""

from __future__ import annotations

from collections.abc import Callable

from hopcost.report import Part
from hopcost.report.document import Element, Lines, Table
from hopcost.report.formatting import swept_value
from hopcost.report.notes.conditions import noise_lines, starts_lines
from hopcost.report.notes.merge import merge_lines
from hopcost.report.notes.soak import soak_lines
from hopcost.report.notes.surroundings import surroundings_lines
from hopcost.report.notes.verdicts import restart_spread_lines, verdict_lines
from hopcost.report.tables import repeats
from hopcost.report.tables.beside import beside_table
from hopcost.report.tables.cpu import cpu_table, hop_cost_table
from hopcost.report.tables.offered_load import offered_load_table, request_table, service_time_table
from hopcost.report.tables.peers import peer_table
from hopcost.report.tables.published import published_table
from hopcost.report.tables.usage import usage_table
from hopcost.report.tables.verdicts import verdict_table
from hopcost.statistics.summary.summary import ExperimentSummary

Group = list[ExperimentSummary]  # the points of a sweep, or one experiment


def details(group: Group) -> dict[Part, list[Element]]:
    """The parts that have something to show, in their order."""
    parts: dict[Part, list[Element | None]] = {
        Part.VERDICTS: [verdict_table(group), _notes(group, verdict_lines), _notes(group, _soak)],
        Part.CPU: [cpu_table(group), hop_cost_table(group)],
        Part.LOAD: [
            offered_load_table(group),
            service_time_table(group),
            request_table(group),
            beside_table(group),
            peer_table(group),
        ],
        Part.MEMORY: [usage_table(group)],
        Part.STARTS: [_notes(group, starts_lines)],
        Part.NOISE: [_notes(group, noise_lines), _notes(group, restart_spread_lines)],
        Part.PUBLISHED: [published_table(group), *_repeats(group)],
        Part.MACHINE: [Lines(surroundings_lines(group))],
    }
    shown = {
        part: [element for element in elements if element is not None and _has_content(element)]
        for part, elements in parts.items()
    }
    return {part: elements for part, elements in shown.items() if elements}


def _soak(experiment: ExperimentSummary) -> list[str]:
    return soak_lines(experiment.soak)


def _repeats(group: Group) -> list[Element]:
    if not any(experiment.repeats for experiment in group):
        return []
    return [repeats.repeats_table(group), Lines(repeats.notes(group))]


def _notes(group: Group, lines_of: Callable[[ExperimentSummary], list[str]]) -> Lines:
    """The lines of all values, each once."""
    return Lines(merge_lines([(swept_value(experiment), lines_of(experiment)) for experiment in group]))


def _has_content(element: Element) -> bool:
    match element:
        case Table():
            return bool(element.rows)
        case Lines():
            return bool(element.lines)
    return True
