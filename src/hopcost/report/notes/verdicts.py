"""How to read the verdicts, and why some are missing."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.report.formatting import CONFIDENCE
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def verdict_lines(experiment: ExperimentSummary) -> list[str]:
    """The lines of one experiment; none if nothing was compared."""
    if not experiment.arms:
        return []
    if experiment.no_verdicts is not None:
        return [f"no verdicts: {experiment.no_verdicts}"]
    if not any(arm.comparisons for arm in experiment.arms):
        return []
    lines = [
        "verdicts: a direction if the interval excludes 1, and its size against the margin of"
        f" ±{experiment.margin:.1%}; intervals hold for all arms together at {CONFIDENCE}",
    ]
    for arm in experiment.arms:
        lines += _without_verdict(arm)
    for share, agrees in experiment.p99_agrees.items():
        if not agrees:
            why = f"differ by more than {METHOD.max_p99_quotient - 1:.0%}" if agrees is False else "have none"
            lines.append(f"no p99 at {share:.0%} of capacity: {experiment.plan.copied_arm}'s two runs {why}")
    return lines


def _without_verdict(arm: ArmSummary) -> list[str]:
    """A line for each reason, with its figures if it does not hold for all of them."""
    reasons = group_reasons([(comparison.no_verdict, comparison.figure) for comparison in arm.comparisons])
    return [
        f"{arm.name}: no verdict{' on ' + figures if figures else ''}: {reason}" for reason, figures in reasons.items()
    ]


def group_reasons(reasons: Sequence[tuple[str | None, str]]) -> dict[str, str]:
    """Each reason with the names that it holds for: `a, b`; empty if it holds for all. None is no reason."""
    names_by_reason: dict[str, list[str]] = {}
    for reason, name in reasons:
        if reason is not None:
            names_by_reason.setdefault(reason, []).append(name)
    return {
        reason: "" if len(names) == len(reasons) else ", ".join(dict.fromkeys(names))
        for reason, names in names_by_reason.items()
    }
