"""What a range is of, and what it is not: said once per report."""

from __future__ import annotations

from hopcost.report.formatting import CONFIDENCE
from hopcost.statistics.summary.summary import ExperimentSummary

SCOPE = [
    "ranges hold for this hour on this machine; between hours: not measured",
    f"the ranges of one experiment and figure hold together at {CONFIDENCE}, not those of the whole run",
]


def scope_lines(experiments: list[ExperimentSummary]) -> list[str]:
    """The lines; none if no arm has a range."""
    return SCOPE if any(arm.comparisons for experiment in experiments for arm in experiment.arms) else []
