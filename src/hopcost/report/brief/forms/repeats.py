"""`--as-published` in short: the mean of the repeats beside what the article printed. No ranges, no verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.errors import printable
from hopcost.report import notation
from hopcost.report.document import Bar, BarRow, Bars
from hopcost.report.formatting import errors, swept_key, swept_value
from hopcost.report.notes.merge import merge_lines
from hopcost.statistics.summary.repeats import ArmRepeats
from hopcost.statistics.summary.summary import ExperimentSummary


def repeats_table(group: Sequence[ExperimentSummary]) -> Bars:
    """A row for each stack; in a sweep, for each value and stack."""
    most = max([1.0, *(arm.ratio for experiment in group for arm in experiment.repeats if arm.ratio is not None)])
    header = [swept_key(group[0]), "req/s, mean", f"of {group[0].plan.baseline}", "in the article"]
    rows = [_row(experiment, arm, most) for experiment in group for arm in experiment.repeats]
    return Bars(header, rows)


def _row(experiment: ExperimentSummary, arm: ArmRepeats, most: float) -> BarRow:
    value = swept_value(experiment)
    bar = None if arm.ratio is None else Bar(arm.ratio, arm.ratio, most)
    shares = [_share(arm.ratio), _share(arm.published_ratio)]
    return BarRow(f"{value}  {arm.name}" if value else arm.name, [notation.rate(arm.mean_per_s)], bar, shares)


def _share(ratio: float | None) -> str:
    return notation.ABSENT if ratio is None else f"{100 * ratio:.0f} %"


def repeats_cautions(group: Sequence[ExperimentSummary]) -> list[str]:
    """Why there is no verdict, and what went wrong."""
    lines = merge_lines([(swept_value(experiment), _lines(experiment)) for experiment in group])
    important = ["A slow minute of the machine is in whichever stack had it.", *lines]
    measured = group[0].plan.suite_name.partition("@")[0]
    return [
        f"? no verdict: one start each, in turn; without --as-published {measured} has ranges",
        f"! {printable(' '.join(important))}",
    ]


def _lines(experiment: ExperimentSummary) -> list[str]:
    lines = []
    for arm in experiment.repeats:
        lines += [f"{arm.name} failed: {(failure.splitlines() or [''])[0]}." for failure in dict.fromkeys(arm.failures)]
        if sum(arm.errors.values()):
            lines.append(f"{arm.name} had errors: {errors(arm.errors)}.")
    lines += [f"{left.name} is not measured: {left.remedy or left.reason}." for left in experiment.plan.left_out]
    if experiment.plan.cores.shared:
        lines.append("The load generator shares a core: throughput includes its CPU.")
    return lines
