"""How much pairs of slices of the same server differ on this machine, and how long an answer of ±1 % will take.

A pair is two slices of one round; its log-ratio is the difference that the machine alone makes. The spread is 1.96
times the standard deviation of the log-ratios: 95 of 100 pairs lie within ± the spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import msgspec
import numpy as np

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import ArmBlock, Block
from hopcost.statistics import figures, looks, precision
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.precision import Forecast, Variances
from hopcost.suites.arm import COPY_SUFFIX

SLICE_NS, SETTLE_NS = 100_000_000, 100_000_000
SECONDS = 10.0
NORMAL_95 = 1.96  # of a normal distribution, 95 % lie within so many standard deviations
LONGEST_S = 86_400.0  # nobody waits longer
ARMS = 3  # two arms to be compared, and the baseline's second run


class MachineSpread(msgspec.Struct, frozen=True):
    """What was seen: spreads of pairs as shares (0.03 is ±3 %), and the way to ±1 % where there is one."""

    pairs: int
    slice_ns: int
    throughput: float
    cpu_per_request: float | None
    forecast: Forecast | None


def judge(done: Block, experiment: PlannedExperiment) -> MachineSpread:
    """The spreads out of a block of the baseline and its second run."""
    first, second = (
        next(arm for arm in done.arms if arm.name == experiment.baseline + end) for end in ("", COPY_SUFFIX)
    )
    throughput = log_ratios(first, second, figures.throughput)
    if throughput is None:
        raise MeasurementFailed("the spread could not be measured: a slice without an answer")
    cpu = log_ratios(first, second, figures.cpu_per_request)
    return MachineSpread(
        pairs=len(throughput),
        slice_ns=experiment.slice_ns,
        throughput=spread(throughput),
        cpu_per_request=None if cpu is None else spread(cpu),
        forecast=forecast(variance_of_full_pairs(levels(first, second), experiment)),
    )


def log_ratios(first: ArmBlock, second: ArmBlock, figure: BlockFigure) -> list[float] | None:
    """One for each round; None where a slice has no figure: leaving it out would choose by outcome."""
    found = []
    for one, other in zip(first.slices, second.slices, strict=True):
        values = [figure(msgspec.structs.replace(arm, slices=[each])) for arm, each in ((first, one), (second, other))]
        if not values[0] or not values[1]:
            return None
        found.append(math.log(values[1] / values[0]))
    return found


def spread(logs: Sequence[float]) -> float:
    """1.96 standard deviations (n - 1) of log-ratios; one, or none, has no spread.

    >>> round(spread([0.01, -0.01, 0.01, -0.01]), 4)
    0.0226
    """
    return NORMAL_95 * float(np.std(logs, ddof=1)) if len(logs) > 1 else math.nan


def levels(first: ArmBlock, second: ArmBlock) -> list[float]:
    """ln(answers per second) of all slices as they came: both are the same server."""
    slices = sorted([*first.slices, *second.slices], key=lambda each: each.start_ns)
    return [math.log(each.answers / each.elapsed_ns) for each in slices]


def variance_of_full_pairs(levels: Sequence[float], experiment: PlannedExperiment) -> float:
    """Of ln(second ÷ first) of two visits as long as a full run's: neighbouring means over as long, at every start.

    A machine that changes its speed for a second at a time lets long slices scatter as widely as short ones, where
    noise that is new in each slice would be a tenth. Such means hold 0.6 s of slices where a full run counts 1 s.
    """
    visits = (METHOD.max_slice_ns + METHOD.min_settle_ns) / (experiment.slice_ns + experiment.settle_ns)
    width = max(1, min(round(visits), len(levels) // 2))
    means = np.convolve(levels, np.full(width, 1 / width), "valid")
    return float(np.mean((means[width:] - means[:-width]) ** 2))


def forecast(of_pairs: float) -> Forecast | None:
    """How two arms reach ±1 % if a full run's pairs have this variance; None where the longest run does not.

    A pair is what the baseline's second run is to its first, which has to be as precise as the arms; an arm is compared
    with the mean of both and varies less.
    """
    seen = Variances(within=of_pairs, between=0.0)
    round_s = ARMS * (METHOD.max_slice_ns + METHOD.min_settle_ns) / 1e9 * METHOD.slice_edges
    found = precision.forecast(
        seen,
        done=0,
        target=METHOD.target_width,
        looks=METHOD.looks,
        error=looks.error_per_look(len(METHOD.looks)),
        error_left=partial(looks.error_left, METHOD.looks),
        seconds=LONGEST_S,
        overhead_s=ARMS * (METHOD.block_overhead_s_per_arm + METHOD.min_warm_up_ns / 1e9),
        round_s=round_s,
        rounds_at_least=METHOD.min_rounds,
        rounds_at_most=int(METHOD.max_block_s / round_s),
    )
    return found if found is not None and found.half_width <= METHOD.target_width else None


def words(seen: MachineSpread) -> list[str]:
    """What `hopcost doctor --spread` prints."""
    cpu = "unknown" if seen.cpu_per_request is None else f"±{seen.cpu_per_request:.1%}"
    lines = [
        f"spread of {seen.pairs} pairs of {seen.slice_ns // 1_000_000} ms slices, the embedded origin against itself:"
        f" 95 of 100 within ±{seen.throughput:.1%} in throughput, {cpu} in CPU per request"
    ]
    if seen.forecast is None:
        lines.append(f"±{METHOD.target_width:.0%} for two arms: not within {METHOD.looks[-1]} blocks")
    else:
        way = seen.forecast
        lines.append(
            f"±{METHOD.target_width:.0%} for two arms will take about {way.seconds:.0f} s: {way.blocks} blocks of"
            f" {way.rounds} rounds, if restarts change little"
        )
    return lines
