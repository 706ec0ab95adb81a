"""Drift over a soak: the slope of a figure over time, with its interval. Pure numbers in, pure numbers out.

Least squares of the logarithm on time, Student's t for the slope: a figure that grows by the same share in each hour is
a straight line there. Segments follow each other, so neighbours may be alike; the interval takes them as independent
and is then too narrow (docs/limits.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from hopcost.statistics import exp
from hopcost.verdict import MARGIN_LEAST

ROUNDING = 1e-9  # equal figures differ by less after a mean of logarithms
SEGMENTS_LEAST = 4  # two of them give a line, three an interval that says nothing


class Drift(msgspec.Struct, frozen=True):
    """Change over the whole run as a factor (1.02: 2 % more at its end) with its interval's ends, and of an hour."""

    over_run: float
    low: float
    high: float
    per_hour: float
    per_hour_low: float
    per_hour_high: float
    length_s: float

    @property
    def is_seen(self) -> bool:
        """Whether the interval excludes no drift at all."""
        return not self.low - ROUNDING <= 1 <= self.high + ROUNDING

    @property
    def is_negligible(self) -> bool:
        """Whether all of the interval lies within what nobody should care about."""
        return self.low >= 1 / (1 + MARGIN_LEAST) and self.high <= 1 + MARGIN_LEAST


def drift(times_s: Sequence[float], values: Sequence[float], error: float = 0.05) -> Drift | None:
    """The drift of positive figures at these times; None for too few of them, for one that is not positive."""
    if len(values) < SEGMENTS_LEAST or min(values) <= 0 or max(times_s) <= min(times_s):
        return None
    from scipy.special import stdtrit  # it takes half a second to import

    count = len(values)
    logs = [math.log(value) for value in values]
    middle_s, mean = sum(times_s) / count, sum(logs) / count
    spread = sum((time - middle_s) ** 2 for time in times_s)
    slope = sum((time - middle_s) * (log - mean) for time, log in zip(times_s, logs, strict=True)) / spread
    residuals = [log - mean - slope * (time - middle_s) for time, log in zip(times_s, logs, strict=True)]
    # scipy's linregress gives NaN for a figure that never moves, as memory may be.
    error_of_slope = math.sqrt(sum(each * each for each in residuals) / (count - 2) / spread)
    length_s = max(times_s) - min(times_s)
    reach = float(stdtrit(count - 2, 1 - error / 2)) * error_of_slope
    return Drift(
        over_run=exp(slope * length_s),
        low=exp((slope - reach) * length_s),
        high=exp((slope + reach) * length_s),
        per_hour=exp(slope * 3600),
        per_hour_low=exp((slope - reach) * 3600),
        per_hour_high=exp((slope + reach) * 3600),
        length_s=length_s,
    )
