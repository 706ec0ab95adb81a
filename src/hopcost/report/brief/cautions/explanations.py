"""What the marks of a table mean, and what to do: `?` is no verdict, not settled or not measured, `~` the same."""

from __future__ import annotations

from hopcost.report.brief.outcome import Outcome, is_tiny, outcome_of
from hopcost.report.brief.reasons import with_advice
from hopcost.report.brief.words import others_of, shortened
from hopcost.report.notes.verdicts import group_reasons, settling_words
from hopcost.statistics.comparisons import THROUGHPUT, Comparison
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def explanations(experiment: ExperimentSummary) -> list[str]:
    """What `?` and `~` mean here, and what to do."""
    open_arms = [arm for arm in others_of(experiment) if not outcome_of(arm).is_verdict]
    unsettled = _not_settled(open_arms) if experiment.no_verdicts is None else []
    return [*no_verdicts(experiment), *unsettled, *_same(experiment)]


def no_verdicts(experiment: ExperimentSummary) -> list[str]:
    """An entry for each reason; stacks are named if it is not that of all marked ones."""
    if experiment.no_verdicts is not None:
        return [f"? no verdict on any: {with_advice(experiment.no_verdicts)}"] if others_of(experiment) else []
    open_arms = [arm for arm in others_of(experiment) if not outcome_of(arm).is_verdict]
    reasons = group_reasons([(_no_verdict(arm), arm.name) for arm in open_arms])
    return [
        f"? no verdict{' on ' + names if names else ''}: {with_advice(reason)}" for reason, names in reasons.items()
    ]


def _same(experiment: ExperimentSummary) -> list[str]:
    """What `~` means."""
    others, margin = others_of(experiment), f"±{100 * experiment.margin:.2g} %"
    if any(is_tiny(arm) for arm in others):
        return [f"~ real, but smaller than the margin of {margin}"]
    is_same = any(outcome_of(arm) is Outcome.SAME for arm in others)
    return [f"~ same: the whole range is within {margin}"] if is_same else []


def _no_verdict(arm: ArmSummary) -> str | None:
    comparison = arm.comparison(THROUGHPUT)
    if outcome_of(arm) is not Outcome.NO_VERDICT:
        return None
    if comparison is None or comparison.no_verdict is None:
        return "it has no throughput to compare"
    return comparison.no_verdict


def _not_settled(open_arms: list[ArmSummary]) -> list[str]:
    """One entry for all that more time may settle: the stack that takes longest tells how much."""
    arms = [arm for arm in open_arms if outcome_of(arm) is Outcome.NOT_SETTLED]
    if not arms:
        return []
    names = f" on {shortened([arm.name for arm in arms])}" if len(arms) < len(open_arms) else ""
    longest = max(arms, key=lambda arm: _seconds(arm.comparison(THROUGHPUT)))
    comparison = longest.comparison(THROUGHPUT)
    settling = comparison.to_settle if comparison is not None else None
    words = settling_words(settling) if settling is not None else "more --time narrows the range"
    return [f"? not settled{names}: {words}"]


def _seconds(comparison: Comparison | None) -> float:
    return comparison.to_settle.seconds if comparison is not None and comparison.to_settle is not None else 0.0


def not_measured(experiment: ExperimentSummary) -> list[str]:
    """What is not installed, with the command that installs it; stacks without the same program together."""
    names: dict[str, list[str]] = {}
    for left in experiment.plan.left_out:
        remedy = (left.remedy or left.reason).partition(";")[0]
        names.setdefault(remedy, []).append(left.name)
    return [f"? not measured: {shortened(stacks)}: {remedy}" for remedy, stacks in names.items()]
