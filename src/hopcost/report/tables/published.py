"""The article's figures beside ours, as ratios to the control of each."""

from __future__ import annotations

from hopcost.report import formatting, notation
from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT
from hopcost.report.tables.keyed import Rows, keyed
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def published_table(group: list[ExperimentSummary]) -> Table | None:
    """A row for each stack that the article has; None if it has none of them."""
    published = [arm.published for experiment in group for arm in experiment.arms if arm.published is not None]
    if not published:
        return None
    header = ["stack", "article's req/s", "its mean ms", "its errors", "its ratio", "measured ratio"]
    with_cpu = any(row.cpu_percent is not None for row in published)
    header += ["its CPU %", "measured CPU %"] if with_cpu else []

    def rows(experiment: ExperimentSummary) -> Rows:
        return [
            _cells(arm, is_baseline=arm.name == experiment.plan.baseline)[: len(header)]
            for arm in experiment.arms
            if arm.published is not None
        ]

    below = [f"the article's conditions: {group[0].plan.published_conditions}"]
    if with_cpu:
        cores = formatting.count(len(group[0].plan.cores.stack), "core")
        below.append(f"measured CPU %: CPU time of all hops ÷ its time × {cores}")
    return keyed(group, header, rows, below=below)


def _cells(arm: ArmSummary, *, is_baseline: bool) -> list[str]:
    row = arm.published
    assert row is not None, "the caller picks stacks with published figures"
    return [
        arm.name,
        formatting.number(row.throughput_per_s),
        ABSENT if row.latency_mean_ms is None else f"{row.latency_mean_ms:.1f}",
        formatting.published_errors(row),
        formatting.ratio(arm.published_ratio),
        "1" if is_baseline else notation.ratio(arm.ratio),
        formatting.number(row.cpu_percent),
        formatting.number(arm.cpu_percent),
    ]
