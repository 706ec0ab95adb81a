"""An arm beside the baseline: the ratio of each figure, its interval, and the verdict of the interval.

An arm with faults of its own has figures but no verdict; nor has one whose reason lies in the run.
"""

from __future__ import annotations

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval
from hopcost.statistics.looks import error_of_one_arm
from hopcost.statistics.summary import open_loop
from hopcost.statistics.validity.arm import faults_of_arm, is_generator_full
from hopcost.statistics.validity.steady import why_not_steady
from hopcost.statistics.verdict import Better, Verdict, judge_interval

THROUGHPUT, CPU = "throughput", "cpu_per_request"

GENERATOR_FULL = "the generator was full while the stack idled: its throughput is a lower bound"
BUSY_MACHINE = "measured with --anyway, whatever else the machine was doing"


class Comparison(msgspec.Struct, frozen=True):
    """One figure of an arm ÷ the baseline's; `load_per_s` is None at saturation.

    The interval is one of all arms of the experiment, which hold together at 95 % (Bonferroni). `no_verdict` says why
    there is none, whatever the interval.
    """

    figure: str
    load_per_s: float | None
    ratio: Interval | None
    verdict: Verdict
    no_verdict: str | None = None


class Metric(msgspec.Struct, frozen=True):
    """A figure to be compared, and which way it is better."""

    name: str
    figure: BlockFigure
    better: Better
    share: float | None = None


def metrics_of(arms: PairedBlocks, name: str, p99_agrees: dict[float, bool | None]) -> list[Metric]:
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
            if (quantile == "p50" or p99_agrees.get(share))
            and all(open_loop.is_shown(both, share, quantile) for both in (parts, baseline))
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
    p99_agrees: dict[float, bool | None],
) -> list[Comparison]:
    """All comparisons of an arm with the baseline; of the baseline itself, none. All arms share the `error`."""
    if name == experiment.baseline or not arms.of(name) or not arms.of(experiment.baseline):
        return []
    own_error = error_of_one_arm(experiment, error)
    withheld = withheld or fault_of_comparison(arms, experiment, name)
    comparisons = []
    for ask in metrics_of(arms, name, p99_agrees):
        interval = arms.ratio(name, ask.figure, own_error)
        narrower = arms.ratio(name, ask.figure, 2 * own_error)
        if interval is None and ask.share is not None:
            continue  # too few samples: not shown
        why = withheld or too_few(arms.count(name, ask.figure))
        if why is None and ask.name == THROUGHPUT and (bound := _bound(arms, experiment, name)) is not None:
            why = f"{bound}: {GENERATOR_FULL}"
        comparisons.append(
            Comparison(
                figure=ask.name,
                load_per_s=None if ask.share is None else open_loop.rate_per_s(arms.of(name), ask.share),
                ratio=interval,
                verdict=judge_interval(None if why else interval, margin, ask.better, narrower=narrower),
                no_verdict=why,
            )
        )
    return comparisons


def too_few(blocks: int) -> str | None:
    """Why so many valid blocks give no verdict."""
    if blocks >= METHOD.min_blocks:
        return None
    return f"from one start: {METHOD.min_blocks} are needed" if blocks else "no valid block"


def fault_of_comparison(arms: PairedBlocks, experiment: PlannedExperiment, name: str) -> str | None:
    """Why there is no verdict on an arm: what it, or what it is compared with, did wrong."""
    for arm in _measured_by(arms, name):
        fault = own_fault(arms, experiment, arm)
        if fault is not None:
            return fault if arm == name else f"{arm}: {fault}"
    return None


def own_fault(arms: PairedBlocks, experiment: PlannedExperiment, name: str) -> str | None:
    """What an arm did wrong first: how it failed, a fault in one of its blocks, or that it was not steady."""
    faults = (fault for part in arms.of(name) for fault in faults_of_arm(part, experiment))
    own = f"it failed in block {arms.failed[name][-1]}" if name in arms.failed else next(faults, None)
    return own or why_not_steady(arms.of(name))


def _bound(arms: PairedBlocks, experiment: PlannedExperiment, name: str) -> str | None:
    """Which of the arm and the baseline the generator was full for: either way their quotient is the generator's."""
    for arm in _measured_by(arms, name):
        if any(is_generator_full(part, experiment) for part in arms.of(arm)):
            return arm
    return None


def _measured_by(arms: PairedBlocks, name: str) -> list[str]:
    """The arms whose figures are in a comparison: both, and the copy if one of them is the copied arm."""
    both = [name, arms.baseline]
    return [*both, arms.copy] if arms.copy is not None and arms.copied_arm in both else both
