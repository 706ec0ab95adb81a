"""How to read the verdicts, and why some are missing."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.report import formatting
from hopcost.statistics.comparisons import THROUGHPUT, Comparison
from hopcost.statistics.precision import Settling
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

LEAST_SHOWN = 0.01


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
        f" ±{experiment.margin:.1%}",
        *_restart_spread(experiment),
    ]
    for arm in experiment.arms:
        lines += _without_verdict(arm)
        lines += _not_settled(arm)
        lines += _caveats(arm)
    return lines


def _restart_spread(experiment: ExperimentSummary) -> list[str]:
    """`starts of an arm differ by about 3 % (nginx), under 1 % (apache) in throughput`."""
    spreads = {
        arm.name: comparison.restart_spread
        for arm in experiment.arms
        if (comparison := arm.comparison(THROUGHPUT)) is not None and comparison.restart_spread is not None
    }
    if not spreads:
        return []
    arms_by_words: dict[str, list[str]] = {}
    for name, spread in spreads.items():
        arms_by_words.setdefault(percent_about(spread), []).append(name)
    words = [f"{spread} ({', '.join(names)})" for spread, names in arms_by_words.items()]
    if len(words) == 1:
        words = list(arms_by_words)
    return [f"starts of an arm differ by {', '.join(words)} in throughput"]


def percent_about(share: float) -> str:
    """`about` whole per cent, or `under 1 %`.

    >>> percent_about(0.032), percent_about(0.004)
    ('about 3 %', 'under 1 %')
    """
    return f"about {100 * share:.0f} %" if share >= LEAST_SHOWN else "under 1 %"


def _caveats(arm: ArmSummary) -> list[str]:
    """A line for each caveat, once."""
    caveats = dict.fromkeys(caveat for comparison in arm.comparisons for caveat in comparison.caveats)
    told = {comparison.no_verdict for comparison in arm.comparisons}
    return [f"{arm.name}: caveat: {caveat}" for caveat in caveats if caveat not in told]


def _without_verdict(arm: ArmSummary) -> list[str]:
    """A line for each reason, with its figures if it does not hold for all of them."""
    reasons = group_reasons([(comparison.no_verdict, comparison.figure) for comparison in arm.comparisons])
    return [
        f"{arm.name}: no verdict{' on ' + figures if figures else ''}: {reason}" for reason, figures in reasons.items()
    ]


def _not_settled(arm: ArmSummary) -> list[str]:
    """A line for each such verdict that tables show: the figures of single hops have none there."""
    return [
        f"{arm.name}: not settled on {_figure(comparison)}: {settling_words(comparison.to_settle)}"
        for comparison in arm.comparisons
        if comparison.to_settle is not None and ":" not in comparison.figure
    ]


def _figure(comparison: Comparison) -> str:
    load = comparison.load_per_s
    return comparison.figure if load is None else f"{comparison.figure} at {formatting.number(load)}/s"


def settling_words(settling: Settling) -> str:
    """What would settle it.

    >>> settling_words(Settling(half_width=0.07, target=0.02, starts=40, seconds=610.0))
    '±7 % now, ±2 % in about 10 min (40 more starts)'
    """
    starts = formatting.count(settling.starts, "more start")
    time = formatting.duration(settling.seconds)
    return f"{_width(settling.half_width)} now, {_width(settling.target)} in about {time} ({starts})"


def _width(share: float) -> str:
    """Two digits.

    >>> _width(0.0712), _width(0.02), _width(0.127), _width(2.345), _width(1e9)
    ('±7.1 %', '±2 %', '±13 %', '±230 %', 'more than ±1000 %')
    """
    if share > formatting.WIDEST:
        return f"more than ±{formatting.WIDEST * 100:.0f} %"
    return f"±{float(f'{share * 100:.2g}'):g} %"


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
