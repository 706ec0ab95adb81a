"""What a range is of, and what it is not: said once per report."""

from __future__ import annotations

from hopcost.report.formatting import CONFIDENCE_IN_TEXT
from hopcost.statistics.summary.summary import ExperimentSummary

SCOPE = [
    f"(a–b): {CONFIDENCE_IN_TEXT} range; all ranges of one table column hold at once.",
    "They are of this machine in this hour: another hour may differ by more.",
]


def scope_lines(experiments: list[ExperimentSummary]) -> list[str]:
    """The lines; none if no arm has a range."""
    return SCOPE if any(arm.comparisons for experiment in experiments for arm in experiment.arms) else []
