"""How much pairs of slices of the same server differ on this machine, and how long an answer will take.

A pair is two slices of one round; its log-ratio is the difference that the machine alone makes. The spread is 1.96
times the standard deviation of the log-ratios: 95 of 100 pairs lie within ± the spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics import figures
from hopcost.statistics.figures import all_known
from hopcost.statistics.log_ratio import log_ratios_by_round
from hopcost.statistics.precision import looks, precision
from hopcost.statistics.precision.precision import Cost, Forecast, Variances

SLICE_NS, SETTLE_NS = 100_000_000, 100_000_000
SECONDS = 10.0
NORMAL_95 = 1.96  # of a normal distribution, 95 % lie within so many standard deviations
ARMS = 3  # two arms to compare, and the baseline's second run
RESTARTS = (0.01, 0.03)  # by which starts may differ: on one core, and with several workers


class MachineSpread(msgspec.Struct, frozen=True):
    """Spreads of pairs as shares (0.03 is ±3 %), and how two arms become precise enough, for each of `RESTARTS`."""

    pairs: int
    slice_ns: int
    throughput: float
    cpu_per_request: float | None
    forecasts: list[Forecast]


def judge(block: Block, experiment: PlannedExperiment) -> MachineSpread:
    """The spreads out of a block of the baseline and its second run; MeasurementFailed if a slice has no answer."""
    assert experiment.copy is not None, "every planned baseline has a second run"
    throughput, cpu = (
        all_known(log_ratios_by_round(block, experiment, experiment.copy, figure))
        for figure in (figures.throughput, figures.cpu_per_request)  # a pair left out would be chosen by its outcome
    )
    if throughput is None:
        raise MeasurementFailed("the spread could not be measured: a slice without an answer")
    return MachineSpread(
        pairs=len(throughput),
        slice_ns=experiment.slice_ns,
        throughput=spread(throughput),
        cpu_per_request=None if cpu is None else spread(cpu),
        forecasts=[forecast(variance_of_full_pairs(levels(block.arms), experiment), spread) for spread in RESTARTS],
    )


def spread(logs: Sequence[float]) -> float:
    """1.96 standard deviations (n - 1) of log-ratios; NaN for fewer than two.

    >>> round(spread([0.01, -0.01, 0.01, -0.01]), 4)
    0.0226
    """
    return NORMAL_95 * float(np.std(logs, ddof=1)) if len(logs) > 1 else math.nan


def levels(arms: Sequence[ArmBlock]) -> list[float]:
    """ln(answers per second) of all slices in the order of time: the arms are the same server."""
    slices = sorted((piece for arm in arms for piece in arm.slices), key=lambda piece: piece.start_ns)
    return [math.log(piece.answers / piece.elapsed_ns) for piece in slices]


def variance_of_full_pairs(levels: Sequence[float], experiment: PlannedExperiment) -> float:
    """The variance of ln(second ÷ first) of two visits that are as long as a full run's.

    It is that of neighbouring means over as many slices, from every slice on. If the machine changes its speed for a
    second at a time, long slices scatter as widely as short ones; independent noise would be a tenth. Such means hold
    as long as a full run's visits, half of it slices.
    """
    visits = (METHOD.max_slice_ns + METHOD.min_settle_ns) / (experiment.slice_ns + experiment.settle_ns)
    width = max(1, min(round(visits), len(levels) // 2))
    means = np.convolve(levels, np.full(width, 1 / width), "valid")
    return float(np.mean((means[width:] - means[:-width]) ** 2))


def forecast(variance: float, restart_spread: float) -> Forecast:
    """How two arms become precise enough, if a full run's pairs have this variance and starts differ by so much.

    A pair is the baseline's second run beside its first; an arm is compared with the mean of both and varies less.
    """
    seen = Variances(within=variance, between=restart_spread**2)
    cost = Cost(
        start_s=ARMS * (METHOD.block_overhead_s_per_arm + METHOD.min_warm_up_ns / 1e9),
        round_s=ARMS * (METHOD.max_slice_ns + METHOD.min_settle_ns) / 1e9 * METHOD.slice_edges,
    )
    rounds = min(precision.rounds_per_start(cost, seen), int(METHOD.max_block_s / cost.round_s))
    starts = precision.starts_to_reach(METHOD.precision, seen, rounds, METHOD.look_error, contrasts=1)
    starts = next(looks.looks_after(starts - 1))
    return Forecast(
        blocks=starts,
        rounds=rounds,
        half_width=precision.half_width(seen, starts, rounds, METHOD.look_error, contrasts=1),
        seconds=starts * cost.of_block(rounds),
    )


def words(spread: MachineSpread) -> list[str]:
    """The lines that `hopcost doctor --spread` prints."""
    cpu = "unknown" if spread.cpu_per_request is None else f"±{spread.cpu_per_request:.1%}"
    pairs = (
        f"spread of {spread.pairs} pairs of {spread.slice_ns // 1_000_000} ms slices, the embedded origin against"
        f" itself: 95 of 100 within ±{spread.throughput:.1%} in throughput, {cpu} in CPU per request"
    )
    ways = " or ".join(
        f"{way.seconds:.0f} s ({way.blocks} starts) if starts differ by {restarts:.0%}"
        for way, restarts in zip(spread.forecasts, RESTARTS, strict=True)
    )
    return [pairs, f"±{METHOD.precision:.0%} for two arms will take about {ways}"]
