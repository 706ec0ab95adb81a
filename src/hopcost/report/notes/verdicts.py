"""How to read the verdicts, and why some are missing."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.report import formatting
from hopcost.report.formatting import CONFIDENCE_IN_TEXT
from hopcost.statistics.comparisons import CPU, DIFFERENCE_OPEN, P99_UNPROVEN, THROUGHPUT, Comparison
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.statistics.verdict import SAME, Size

LEAST_SHOWN = 0.01
WANTED = 0.1  # a half-width that somebody may want; a wider one only is where the estimate happens to lie
DIRECTIONS = ("slower", "faster", "dearer", "cheaper")
FIGURES = {
    THROUGHPUT: "throughput",
    CPU: "CPU per request",
    "response_p50": "median response time",
    "response_p99": "p99 of response times",
}


def verdict_lines(experiment: ExperimentSummary) -> list[str]:
    """The lines of one experiment; none if nothing was compared."""
    if not experiment.arms:
        return []
    if experiment.no_verdicts is not None:
        return [f"no verdicts: {experiment.no_verdicts}"]
    if not any(arm.comparisons for arm in experiment.arms):
        return []
    lines = [*_legend(experiment), f"ranges: {CONFIDENCE_IN_TEXT} sure to hold the true figure, of all stacks together"]
    for arm in experiment.arms:
        lines += _without_verdict(arm)
        lines += _not_settled(arm)
        lines += _caveats(arm)
    return lines


def _legend(experiment: ExperimentSummary) -> list[str]:
    """What the words of the verdicts mean, of those that stand there."""
    verdicts = [
        comparison.verdict
        for arm in experiment.arms
        for comparison in arm.comparisons
        if comparison.no_verdict is None and ":" not in comparison.figure
    ]
    words, sizes = {verdict.word for verdict in verdicts}, {verdict.size for verdict in verdicts}
    directions = [word for word in DIRECTIONS if word in words]
    margin = f"the margin of ±{100 * experiment.margin:.2g} %"
    parts = {
        f"{', '.join(directions)}: the range excludes 1": directions,
        "dearer needs more CPU per request, cheaper less": words & {"dearer", "cheaper"},
        f"negligible: real, but smaller than {margin}": Size.NEGLIGIBLE in sizes,
        f"size open: perhaps smaller than {margin}": Size.OPEN in sizes,
        f"same: the whole range is within {margin}": SAME in words,
    }
    return ["; ".join(part for part, is_used in parts.items() if is_used)] if words & {*DIRECTIONS, SAME} else []


def restart_spread_lines(experiment: ExperimentSummary) -> list[str]:
    """`starts of a stack differ by about 3 % (nginx), under 1 % (apache) in throughput`."""
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
    return [f"starts of a stack differ by {', '.join(words)} in throughput"]


def percent_about(share: float) -> str:
    """`about` whole per cent, or `under 1 %`.

    >>> percent_about(0.032), percent_about(0.004)
    ('about 3 %', 'under 1 %')
    """
    return f"about {100 * share:.0f} %" if share >= LEAST_SHOWN else "under 1 %"


def _caveats(arm: ArmSummary) -> list[str]:
    """A line for each caveat, once."""
    caveats = dict.fromkeys(caveat for comparison in arm.comparisons for caveat in comparison.caveats)
    told = {DIFFERENCE_OPEN, *(comparison.no_verdict for comparison in arm.comparisons)}
    return [f"{arm.name}: caveat: {caveat}" for caveat in caveats if caveat not in told]


def _without_verdict(arm: ArmSummary) -> list[str]:
    """A line for each reason, with its figures if it does not hold for all of them."""
    judged = [comparison for comparison in arm.comparisons if comparison.no_verdict != P99_UNPROVEN]  # by rule
    reasons = group_reasons([(comparison.no_verdict, figure_words(comparison)) for comparison in judged])
    return [
        f"{arm.name}: no verdict{' on ' + figures if figures else ''}: {reason}" for reason, figures in reasons.items()
    ]


def _not_settled(arm: ArmSummary) -> list[str]:
    """A line for each such verdict that tables show: the figures of single hops have none there."""
    differences = [
        f"{arm.name}: not settled on {figure_words(comparison)}: {DIFFERENCE_OPEN}; more --time narrows both"
        for comparison in arm.comparisons
        if DIFFERENCE_OPEN in comparison.caveats
    ]
    return [*differences, *_with_time(arm)]


def _with_time(arm: ArmSummary) -> list[str]:
    """Of those that a narrower ratio settles."""
    return [
        f"{arm.name}: not settled on {figure_words(comparison)}: {settling_words(comparison.to_settle)}"
        for comparison in arm.comparisons
        if comparison.to_settle is not None and ":" not in comparison.figure
    ]


def figure_words(comparison: Comparison) -> str:
    """`CPU per request at 1,000/s`; of a single hop `CPU per request of nginx`."""
    figure, _, hop = comparison.figure.partition(":")
    words = FIGURES.get(figure, figure) + (f" of {hop}" if hop else "")
    load = comparison.load_per_s
    return words if load is None else f"{words} at {formatting.number(load)}/s"


def settling_words(settling: Settling) -> str:
    """How narrow it is, and what would settle it, as long as somebody could want to be so narrow.

    >>> settling_words(Settling(half_width=0.07, target=0.02, starts=40, seconds=610.0))
    '±7 % now, ±2 % in about 10 min'
    >>> settling_words(Settling(half_width=2.8, target=1.8, starts=1, seconds=29.0))
    '±280 % now; more --time narrows it'
    """
    now = f"{_width(settling.half_width)} now"
    if settling.target > WANTED:
        return f"{now}; more --time narrows it"
    return f"{now}, {_width(settling.target)} in about {formatting.duration(settling.seconds)}"


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
