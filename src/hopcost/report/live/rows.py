"""The figures so far as rows with bars: as much as a terminal has room for."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.plan import PlannedExperiment
from hopcost.report import notation
from hopcost.report.brief.table import bar_of, most_of
from hopcost.report.document import BarRow, Bars
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.stop import ArmSoFar

WITH_CPU, WITH_BARS = 70, 50  # columns of a terminal from which there is room for them


def rows_of(experiment: PlannedExperiment, arms: Sequence[ArmSoFar], width: int) -> Bars:
    """A row for each arm, in the plan's order. An arm without two starts has a figure, but no range."""
    ratios = {arm.name: _ratio(arm) for arm in arms}
    most = most_of(ratio for name, ratio in ratios.items() if ratio is not None and name != experiment.copy)
    shares = [_share(arm, ratios[arm.name]) for arm in arms]
    columns = {f"of {experiment.baseline}": [figure for figure, _ in shares], "": [ends for _, ends in shares]}
    if width >= WITH_CPU:
        columns["CPU at full load"] = [_cpu(experiment, arm) for arm in arms]
    if any(arm.errors for arm in arms):
        columns["errors"] = [f"{arm.errors:,}" for arm in arms]
    rows = []
    for number, arm in enumerate(arms):
        ratio = ratios[arm.name]
        bar = bar_of(ratio, most) if ratio is not None and width >= WITH_BARS else None
        rows.append(BarRow(label(experiment, arm.name), [], bar, [cells[number] for cells in columns.values()]))
    return Bars(["", *columns], rows)


def label(experiment: PlannedExperiment, arm: str) -> str:
    """The arm's name; `go again` for the second run of the baseline."""
    return f"{experiment.copied_arm} again" if arm == experiment.copy else arm


def _ratio(arm: ArmSoFar) -> Interval | None:
    """With its range, if there is one worth showing; None of an arm that failed."""
    if arm.ratio is None or arm.has_failed:
        return None
    return arm.ratio if arm.has_range else Interval(value=arm.ratio.value, low=None, high=None)


def _share(arm: ArmSoFar, ratio: Interval | None) -> notation.Parts:
    if arm.has_failed:
        return "failed", ""
    figure, ends = notation.share_parts(ratio)
    return figure, ends if arm.has_range else ""


def _cpu(experiment: PlannedExperiment, arm: ArmSoFar) -> str:
    """What it takes more than the baseline; the baseline's second run is called what it is there for."""
    if arm.name == experiment.copy:
        return "(the noise)"
    return "" if arm.has_failed or arm.cpu_added_ns is None else notation.added_parts(arm.cpu_added_ns)[0]
