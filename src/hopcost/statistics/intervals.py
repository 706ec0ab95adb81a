"""Ratios, means and differences with their intervals, from per-block figures. Pure functions of numbers.

The estimator (explain/method-why.md): one log-ratio per block, against the mean of the baseline's two runs; its mean
over blocks, weighted by their rounds, with a Student t interval. A block is the unit because a restart varies as a
whole; nothing is trimmed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from scipy.special import stdtrit

from hopcost.plan.method import METHOD

LOG_MOST = 700.0  # a little less than the logarithm of the largest number


class Interval(msgspec.Struct, frozen=True):
    """A ratio, or a difference, with the ends of its interval; the ends are None if one block gives no spread."""

    value: Annotated[float, Meta(description="the ratio (geometric mean over blocks) or the difference")]
    low: Annotated[float | None, Meta(description="the interval's end; null if one block gives no spread")]
    high: Annotated[float | None, Meta(description="the interval's end; null if one block gives no spread")]

    @property
    def half_width(self) -> float | None:
        """Half the interval's width relative to the value."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2 / self.value


ONE = Interval(value=1.0, low=1.0, high=1.0)  # the baseline to itself, by definition


def ratio(
    arm: Sequence[float],
    baseline: Sequence[float],
    error: float = METHOD.confidence_error,
    weights: Sequence[float] | None = None,
) -> Interval | None:
    """The geometric mean of arm ÷ baseline over blocks (equal lengths, one figure per block), with its t interval.

    None when there is no block, or when a figure is not positive: then there is no log-ratio.
    Student's t for the mean of paired log-ratios, back on the scale of ratios; `weights` as for `mean`.
    """
    figures = np.asarray([arm, baseline], dtype=float)
    if figures.shape[1] == 0 or not np.all(figures > 0):
        return None
    interval = mean((np.log(figures[0]) - np.log(figures[1])).tolist(), error, weights)
    assert interval is not None, "there is a block"
    return of_logs(interval)


def of_logs(logs: Interval) -> Interval:
    """An interval of logarithms on the scale of ratios."""
    low, high = (None if end is None else exp(end) for end in (logs.low, logs.high))
    return Interval(value=exp(logs.value), low=low, high=high)


def exp(logarithm: float) -> float:
    """Without an overflow: an interval of two blocks, a slope carried on to an hour may reach beyond all numbers."""
    return math.exp(max(-LOG_MOST, min(LOG_MOST, logarithm)))


def mean(
    figures: Sequence[float], error: float = METHOD.confidence_error, weights: Sequence[float] | None = None
) -> Interval | None:
    """The mean over blocks with its Student t interval, in the figures' unit; None when there is no block.

    `weights` are proportional to 1 / variance of each block (None: equal). The common factor is estimated from the
    data: weighted least squares (Aitken 1936). t has n - 1 degrees of freedom, as without weights.
    """
    if not figures:
        return None
    values, shares = np.asarray(figures, dtype=float), np.ones(len(figures)) if weights is None else np.asarray(weights)
    middle = float(np.average(values, weights=shares))
    if len(values) < 2:
        return Interval(value=middle, low=None, high=None)
    variance = float(np.average((values - middle) ** 2, weights=shares)) / (len(values) - 1)
    reach = float(stdtrit(len(values) - 1, 1 - error / 2)) * math.sqrt(variance)
    return Interval(value=middle, low=middle - reach, high=middle + reach)


def subtract(a: Interval, b: Interval) -> Interval:
    """b - a of two independent estimates with intervals of one error; without ends if one of them has none.

    Each side of the new interval is the root of the sum of squares of the two sides that it comes from (MOVER; Zou and
    Donner 2008, Statistics in Medicine 27(10)): for normal estimates that is exact, and heavier tails are kept.
    """
    value = b.value - a.value
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Interval(value=value, low=None, high=None)
    below = math.hypot(b.value - b.low, a.high - a.value)
    above = math.hypot(b.high - b.value, a.value - a.low)
    return Interval(value=value, low=value - below, high=value + above)
