"""An arm beside the baseline: the ratio of each figure, its interval, and the verdict of the interval.

Faults of an arm are caveats beside its verdict, or take the verdict of the figures that they make meaningless.
"""

from __future__ import annotations

import math

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.looks import error_of_one_arm
from hopcost.statistics.precision.precision import Settling, half_width_that_settles
from hopcost.statistics.summary import hop_cost, open_loop
from hopcost.statistics.validity.arm import faults_of_arm
from hopcost.statistics.validity.bias import why_figure_is_convicted
from hopcost.statistics.validity.grounds import Evidence
from hopcost.statistics.validity.moving import MOVED, has_moved
from hopcost.statistics.verdict import NO_VERDICT, NOT_SETTLED, Better, Verdict, judge_interval

THROUGHPUT, CPU, P99 = "throughput", "cpu_per_request", "response_p99"
DIFFERENCES = (CPU, "response_p50")  # figures of which a hop's cost is a difference too
P99_UNPROVEN = "that a range of p99 holds the truth is not shown yet"  # docs/explain/limits.md
DIFFERENCE_OPEN = "the range of its difference holds 0, though that of its ratio excludes 1"
MIXED_HOSTS = "measured with --mixed, on sites that are not alike"
BUSY_MACHINE = "measured with --anyway, whatever else the machine was doing"


class Comparison(msgspec.Struct, frozen=True):
    """One figure of an arm ÷ the baseline's; `load_per_s` is None at saturation.

    The interval is one of all arms of the experiment, which hold together at 95 % (Bonferroni). `no_verdict` says why
    there is none, whatever the interval; `caveats` stand beside it. `restart_spread` is the share by which
    starts of the arm differ in the figure; None in a soak, which is one start. `to_settle` is what a verdict would
    still take, if it is not settled.
    """

    figure: str
    load_per_s: float | None
    ratio: Interval | None
    verdict: Verdict
    no_verdict: str | None = None
    caveats: list[str] = []
    restart_spread: float | None = None
    to_settle: Settling | None = None


class Metric(msgspec.Struct, frozen=True):
    """A figure to be compared, and which way it is better."""

    name: str
    figure: BlockFigure
    better: Better
    share: float | None = None


def metrics_of(arms: PairedBlocks, name: str) -> list[Metric]:
    """What can be compared of an arm: at saturation, and at each offered load of the record."""
    parts, baseline = arms.of(name), arms.of(arms.baseline)
    shared = [hop for hop in parts[0].hops if hop in baseline[0].hops and len(parts[0].hops) > 1]
    metrics = [
        Metric(THROUGHPUT, figures.throughput, Better.HIGHER),
        Metric(CPU, figures.cpu_per_request, Better.CHEAPER),
        *(Metric(f"{CPU}:{hop}", figures.cpu_of(hop), Better.CHEAPER) for hop in shared),
    ]
    for share in dict.fromkeys(load.share for part in parts for load in part.open_loop):
        metrics.append(Metric(CPU, open_loop.cpu_per_request_at(share), Better.CHEAPER, share))
        metrics += [
            Metric(f"{CPU}:{hop}", open_loop.cpu_per_request_at(share, hop), Better.CHEAPER, share) for hop in shared
        ]
        metrics += [
            Metric(f"response_{quantile}", open_loop.response_time_at(share, quantile), Better.SHORTER, share)
            for quantile in ("p50", "p99")
            if all(open_loop.is_shown(both, share, quantile) for both in (parts, baseline))
        ]
    return metrics


def compare_arm(
    arms: PairedBlocks,
    experiment: PlannedExperiment,
    name: str,
    *,
    error: float,
    margin: float,
    withheld: str | None,
    experiments: int = 1,
) -> list[Comparison]:
    """All comparisons of an arm with the baseline; of the baseline itself, none.

    All arms share the `error`. `experiments` of the run share the error with which A/A arms convict.
    """
    if name == experiment.baseline or not arms.of(name) or not arms.of(experiment.baseline):
        return []
    own_error = error_of_one_arm(experiment, error)
    evidence = Evidence(arms, name)
    is_soak = experiment.turns is Turns.SOAK
    comparisons = []
    for metric in metrics_of(arms, name):
        interval = arms.ratio(name, metric.figure, own_error)
        if interval is None and metric.share is not None:
            continue  # too few samples: not shown
        grounds = evidence.weigh(metric.name, metric.share, metric.better)
        why = withheld or grounds.veto or _why_not_judged(arms, name, metric, experiments)
        narrower = arms.ratio(name, metric.figure, 2 * own_error)
        verdict = judge_interval(None if why else interval, margin, metric.better, narrower=narrower, only=grounds.only)
        if why is None and verdict.word == NO_VERDICT:
            why = grounds.because
        is_open = verdict.is_direction and _may_be_nothing(arms, experiment, name, metric, own_error)
        if is_open:
            verdict = Verdict(NOT_SETTLED, None, margin)
        to_settle = verdict.word == NOT_SETTLED and not is_open
        caveats = [*grounds.caveats, *_trend(arms, name, metric), *([DIFFERENCE_OPEN] if is_open else [])]
        comparisons.append(
            Comparison(
                figure=metric.name,
                load_per_s=None if metric.share is None else open_loop.rate_per_s(arms.of(name), metric.share),
                ratio=interval,
                verdict=verdict,
                no_verdict=why,
                caveats=[caveat for caveat in caveats if caveat != why],
                restart_spread=None if is_soak else arms.restart_spread(name, metric.figure),
                to_settle=_to_settle(arms, name, metric, own_error, margin) if to_settle else None,
            )
        )
    return comparisons


def _may_be_nothing(arms: PairedBlocks, experiment: PlannedExperiment, name: str, metric: Metric, error: float) -> bool:
    """Whether what a hop adds to the figure, which reports print beside the verdict, may be 0.

    Its range comes from another model than the ratio's, so the two may disagree. A direction needs both.
    """
    if metric.name not in DIFFERENCES or (name, experiment.baseline) not in hop_cost.without_hop(experiment):
        return False
    difference = arms.difference(name, metric.figure, error)
    if difference is None or difference.low is None or difference.high is None:
        return False
    return difference.low <= 0 <= difference.high


def _to_settle(arms: PairedBlocks, name: str, metric: Metric, error: float, margin: float) -> Settling | None:
    """What a verdict on a figure would still take, were nothing measured but this experiment; None without a width."""
    ratio = arms.ratio(name, metric.figure, error)
    if ratio is None:
        return None
    target = half_width_that_settles(math.log(ratio.value), margin)
    return arms.time_to_reach(target, name, metric.figure, error)


def _trend(arms: PairedBlocks, name: str, metric: Metric) -> list[str]:
    """The caveat of a ratio that rose or fell from start to start."""
    contrast = arms.contrast(name, metric.figure, arms.baseline, of_difference=False)
    return [MOVED] if contrast is not None and has_moved(contrast.logs) else []


def _why_not_judged(arms: PairedBlocks, name: str, metric: Metric, experiments: int) -> str | None:
    """Why there is no verdict on a figure, whatever the arms did."""
    if metric.name == P99:
        return P99_UNPROVEN
    count = arms.count(name, metric.figure)
    if lacking := arms.lacking(name, metric.figure):
        return f"no figure in block {', '.join(map(str, lacking))}" if len(lacking) < count else "it is not known here"
    return too_few(count) or why_figure_is_convicted(arms, metric.figure, experiments)


def too_few(blocks: int) -> str | None:
    """Why so many valid blocks give no verdict."""
    if blocks >= METHOD.min_blocks:
        return None
    return f"from one start: {METHOD.min_blocks} are needed" if blocks else "no valid block"


def own_fault(arms: PairedBlocks, experiment: PlannedExperiment, name: str, figure: str = THROUGHPUT) -> str | None:
    """What an arm did wrong that takes the verdict on a figure at saturation: that it failed, or a fault."""
    if name in arms.failed:
        return f"it failed in block {arms.failed[name][-1]}"
    faults = faults_of_arm(arms.of(name), experiment)
    return next((fault.text for fault in faults if fault.takes_verdict(figure, None)), None)
