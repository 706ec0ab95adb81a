"""A sweep as one table: a row for each value and arm, with the article's figures. Each value stands once."""

from __future__ import annotations

from hopcost.report import formatting
from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT, CONFIDENCE, swept_key, swept_value
from hopcost.report.notes.conditions import condition_notes
from hopcost.report.notes.note import Note, NoteKind, merge_lines
from hopcost.report.notes.surroundings import surroundings_lines
from hopcost.report.notes.verdicts import verdict_lines
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.published import Published

WORDED_HERE = {NoteKind.AA_FLOOR, NoteKind.BLOCKS, NoteKind.UNITS}  # once for all values
LEFT_OUT = {NoteKind.HARNESS_LOAD}  # it differs at every value, and matters at none


def sweep_table(points: list[ExperimentSummary]) -> Table:
    """A row for each value and arm; a value without any arm has a row that says so."""
    header = _header(points)
    rows = []
    for experiment in points if any(experiment.arms for experiment in points) else []:
        shown = swept_value(experiment)
        for cells in [_cells(experiment, arm) for arm in experiment.arms] or [{"arm": "no result"}]:
            rows.append([shown, *[cells.get(name.partition(" [")[0], ABSENT) for name in header[1:]]])
            shown = ""
    return Table(header, rows)


def _header(points: list[ExperimentSummary]) -> list[str]:
    """Only columns that are not empty."""
    names = [swept_key(points[0]), "arm", "answers/s", f"ratio [{CONFIDENCE}]", "verdict", "CPU µs", "CPU %"]
    if any(sum(arm.errors.values()) for experiment in points for arm in experiment.arms):
        names.append("errors")
    published = _published(points)
    if any(row.throughput_per_s for row in published):
        names += ["article's requests/s", "its ratio"]
    if any(row.cpu_percent is not None for row in published):
        names.append("its CPU %")
    if any(row.has_errors for row in published):
        names.append("its errors")
    return names


def notes(points: list[ExperimentSummary]) -> list[str]:
    """A line that holds for all values stands once; any other names its values."""
    plan = points[0].plan
    floors = "; ".join(
        f"{swept_value(experiment)}: {formatting.interval(experiment.aa_floor)}"
        for experiment in points
        if experiment.arms
    )
    lines = []
    if floors:
        lines.append(f"A/A floor: {plan.copied_arm} against itself is {floors}")
    lines.append(
        "a ratio is to the baseline at the same value; CPU µs: CPU time of all hops per answer; CPU %: their CPU time"
        f" ÷ the arm's time × {formatting.count(len(plan.cores.stack), 'core')}"
    )
    blocks = ", ".join(f"{swept_value(point)}: {point.blocks}" + _stopped(point) for point in points)
    own_lines = merge_lines([(swept_value(point), _own_lines(point)) for point in points])
    lines += [f"blocks: {blocks}", *own_lines, *surroundings_lines(points)]
    if plan.published_conditions:
        lines.append(f"the article's conditions: {plan.published_conditions}")
    return lines


def _own_lines(point: ExperimentSummary) -> list[str]:
    notes = [*map(Note, verdict_lines(point)), *condition_notes(point)]
    return [note.text for note in notes if note.kind not in WORDED_HERE | LEFT_OUT]


def _cells(experiment: ExperimentSummary, arm: ArmSummary) -> dict[str, str]:
    row = arm.published
    return {
        "arm": arm.name,
        "answers/s": formatting.throughput(arm),
        "ratio": "1 (baseline)" if arm.name == experiment.plan.baseline else formatting.interval(arm.ratio),
        "verdict": formatting.verdict(arm, THROUGHPUT),
        "CPU µs": formatting.microseconds(cpu_of_hops(arm.cpu_ns_per_request)),
        "CPU %": formatting.number(arm.cpu_percent),
        "errors": formatting.errors(arm.errors),
        "article's requests/s": formatting.number(row.throughput_per_s if row is not None else None),
        "its ratio": formatting.ratio(arm.published_ratio),
        "its CPU %": formatting.number(row.cpu_percent if row is not None else None),
        "its errors": formatting.published_errors(row) if row is not None else ABSENT,
    }


def _stopped(experiment: ExperimentSummary) -> str:
    return f" ({experiment.ending.why})" if experiment.ending is not None else ""


def _published(points: list[ExperimentSummary]) -> list[Published]:
    return [arm.published for experiment in points for arm in experiment.arms if arm.published is not None]
