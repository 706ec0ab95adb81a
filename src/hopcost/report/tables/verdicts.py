"""Ratios with three decimals and their verdicts: a row for each stack."""

from __future__ import annotations

from hopcost.report import formatting, notation
from hopcost.report.document import Table
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, verdict
from hopcost.report.tables.keyed import Rows, keyed
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def verdict_table(group: list[ExperimentSummary]) -> Table:
    """Throughput and CPU per request at full load, each ÷ the baseline's."""
    header = ["stack", "req/s", "throughput ratio", "throughput verdict", "CPU ratio", "CPU verdict"]
    with_errors = any(sum(arm.errors.values()) for experiment in group for arm in experiment.arms)
    header += ["errors"] if with_errors else []

    def rows(experiment: ExperimentSummary) -> Rows:
        return [_cells(experiment, arm)[: len(header)] for arm in experiment.arms]

    base = group[0].plan.baseline
    return keyed(group, header, rows, below=[f"ratios are to {base}, with {CONFIDENCE_IN_TEXT} ranges"])


def _cells(experiment: ExperimentSummary, arm: ArmSummary) -> list[str]:
    is_baseline = arm.name == experiment.plan.baseline
    return [
        arm.name,
        formatting.throughput(arm),
        "1" if is_baseline else notation.ratio(arm.ratio),
        verdict(arm, THROUGHPUT),
        "1" if is_baseline else notation.ratio(arm.cpu_ratio),
        verdict(arm, CPU),
        formatting.errors(arm.errors),
    ]
