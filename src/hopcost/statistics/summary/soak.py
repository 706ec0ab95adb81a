"""A soak: how far each figure drifts over time, with its interval.

Least squares of the logarithm on time, Student's t for the slope: a figure that grows by the same share in each hour is
a straight line there. Segments follow each other, so neighbours may be alike; the interval takes them as independent
and is then too narrow (docs/explain/limits.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import exp
from hopcost.statistics.log_ratio import log_ratio
from hopcost.statistics.precision.precision import half_width_that_settles
from hopcost.statistics.summary.service_time import service_times
from hopcost.statistics.verdict import NOT_SETTLED, SAME

ROUNDING = 1e-9  # equal figures differ by less after a mean of logarithms
SEGMENTS_LEAST = 4  # two of them give a line, three an interval that says nothing
NOT_MEASURED = "not measured"


class Drift(msgspec.Struct, frozen=True):
    """Change over the whole run as a factor (1.02: 2 % more at its end) with its interval's ends, and of an hour.

    `standard_error` is that of the logarithm of the change over the run.
    """

    over_run: float
    low: float
    high: float
    per_hour: float
    per_hour_low: float
    per_hour_high: float
    length_s: float
    standard_error: float

    @property
    def is_seen(self) -> bool:
        """Whether the interval excludes no drift at all."""
        return not self.low - ROUNDING <= 1 <= self.high + ROUNDING

    @property
    def is_negligible(self) -> bool:
        """Whether all of the interval lies within what nobody should care about."""
        return self.low >= 1 / (1 + METHOD.min_margin) and self.high <= 1 + METHOD.min_margin


def drift(times_s: Sequence[float], values: Sequence[float], error: float = 0.05) -> Drift | None:
    """The drift of positive figures at these times; None for too few of them, for one that is not positive."""
    if len(values) < SEGMENTS_LEAST or min(values) <= 0 or max(times_s) <= min(times_s):
        return None
    from scipy.special import stdtrit  # scipy takes half a second to import
    from scipy.stats import linregress

    line = linregress(times_s, [math.log(value) for value in values])
    slope = float(line.slope)
    error_of_slope = 0.0 if math.isnan(line.stderr) else float(line.stderr)  # NaN: a figure that never moves
    length_s = max(times_s) - min(times_s)
    reach = float(stdtrit(len(values) - 2, 1 - error / 2)) * error_of_slope
    return Drift(
        over_run=exp(slope * length_s),
        low=exp((slope - reach) * length_s),
        high=exp((slope + reach) * length_s),
        per_hour=exp(slope * 3600),
        per_hour_low=exp((slope - reach) * 3600),
        per_hour_high=exp((slope + reach) * 3600),
        length_s=length_s,
        standard_error=error_of_slope * length_s,
    )


PARTS = 12
Points = list[tuple[float, float]]  # seconds, figure


class Course(msgspec.Struct, frozen=True):
    """One figure over a soak: at its first and last part, and its drift; None if it is not known."""

    figure: str
    arm: str
    first: float | None
    last: float | None
    parts: int
    drift: Drift | None

    @property
    def word(self) -> str:
        """`drifts`, `drifts, negligible`, `same` (at the end as at the beginning), `not settled`, or `not measured`."""
        if self.drift is None:
            return NOT_SETTLED if self.parts else NOT_MEASURED
        if self.drift.is_seen:
            return "drifts, negligible" if self.drift.is_negligible else "drifts"
        return SAME if self.drift.is_negligible else NOT_SETTLED

    @property
    def length_to_settle_s(self) -> float | None:
        """How long a soak would take to settle the drift; None if it is settled, or too short to tell.

        If parts scatter as they did, the interval of the change narrows with the root of the length.
        """
        if self.drift is None or self.word != NOT_SETTLED:
            return None
        half_width = (math.log(self.drift.high) - math.log(self.drift.low)) / 2
        target = half_width_that_settles(math.log(self.drift.over_run), METHOD.min_margin)
        return self.drift.length_s * max(1.0, half_width / target) ** 2

    def probability_below(self, x: float) -> float:
        """The probability that the logarithm of the change over the run is at most x (Student's t); a half if unknown.

        A figure that never moves has no spread: its change is known.
        """
        if self.drift is None:
            return 0.5
        distance = x - math.log(self.drift.over_run)
        if self.drift.standard_error == 0:
            return 1.0 if distance >= -ROUNDING else 0.0
        from scipy.special import stdtr  # scipy takes half a second to import

        return float(stdtr(self.parts - 2, distance / self.drift.standard_error))


def summarise_soak(
    experiment: PlannedExperiment,
    blocks: Sequence[Block],
    error: float = METHOD.confidence_error,
) -> list[Course]:
    """The courses of a soak, the ratio's first; none for another experiment. `blocks` without the void ones.

    `error` is that of each course's interval.
    """
    if experiment.soak_s is None:
        return []
    arm = next((arm.name for arm in experiment.arms if arm.name != experiment.baseline and not arm.copy_of), None)
    if arm is None:
        return []
    ratios: Points = []
    for block in blocks:
        part = _part(block, arm)
        in_block = {part.name: part for part in block.arms}
        if part is None or not part.slices or experiment.baseline not in in_block:
            continue
        log = log_ratio(in_block, experiment, arm, experiment.baseline, throughput)
        if log is not None:
            ratios.append((_middle_s(part), exp(log)))
    courses = [_course("ratio", arm, ratios, error)]
    for name in (arm, experiment.baseline):
        times: Points = []
        memory: Points = []
        for block in blocks:
            part = _part(block, name)
            if part is None:
                continue
            p50 = service_times([part])["p50"]
            if part.slices and p50 is not None and not p50.at_least:
                times.append((_middle_s(part), p50.ns))
            if part.memory_samples:
                count = len(part.memory_samples)
                memory.append(
                    (
                        sum(sample.elapsed_ns for sample in part.memory_samples) / count / 1e9,
                        sum(sample.resident_bytes for sample in part.memory_samples) / count,
                    )
                )
        courses.append(_course("service_time_p50_ns", name, times, error))
        courses.append(_course("memory_bytes", name, memory, error))
    return courses


def parts(points: Sequence[tuple[float, float]], at_most: int = PARTS) -> Points:
    """Neighbours put together into parts of equal numbers: mean time, geometric mean of the (positive) figures.

    >>> parts([(0.0, 1.0), (1.0, 4.0), (2.0, 3.0), (3.0, 3.0)], at_most=2)
    [(0.5, 2.0), (2.5, 3.0)]
    """
    size = max(1, math.ceil(len(points) / at_most))
    means: Points = []
    for start in range(0, len(points), size):
        part = points[start : start + size]
        if any(value <= 0 for _, value in part):
            return []
        mean = math.exp(sum(math.log(value) for _, value in part) / len(part))
        means.append((sum(time for time, _ in part) / len(part), round(mean, 9)))
    return means


def _course(figure: str, arm: str, points: Points, error: float) -> Course:
    means = parts(points)
    return Course(
        figure=figure,
        arm=arm,
        first=means[0][1] if means else None,
        last=means[-1][1] if means else None,
        parts=len(means),
        drift=drift([time for time, _ in means], [value for _, value in means], error),
    )


def _part(block: Block, name: str) -> ArmBlock | None:
    return next((arm for arm in block.arms if arm.name == name), None)


def _middle_s(part: ArmBlock) -> float:
    """The middle of the arm's slices on the engine's clock."""
    last = part.slices[-1]
    return (part.slices[0].start_ns + last.start_ns + last.elapsed_ns) / 2 / 1e9
