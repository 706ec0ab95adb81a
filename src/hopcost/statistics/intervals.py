"""Ratios, means and differences with their intervals, from per-block figures. Pure functions of numbers.

The estimator (docs/methodology.md): one log-ratio per block, against the mean of the baseline's two runs; its mean
over blocks, weighted by their rounds, with a Student t interval. A block is the unit because a restart varies as a
whole; nothing is trimmed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from scipy.special import stdtrit

from hopcost.plan.method import METHOD

LOG_MOST = 700.0  # a little less than the logarithm of the largest number


class Interval(msgspec.Struct, frozen=True):
    """A ratio, or a difference, with the ends of its interval; the ends are None where one block gives no spread."""

    value: Annotated[float, Meta(description="the ratio (geometric mean over blocks) or the difference")]
    low: Annotated[float | None, Meta(description="the interval's end; null where one block gives no spread")]
    high: Annotated[float | None, Meta(description="the interval's end; null where one block gives no spread")]

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
    found = mean((np.log(figures[0]) - np.log(figures[1])).tolist(), error, weights)
    assert found is not None, "there is a block"
    return of_logs(found)


def of_logs(found: Interval) -> Interval:
    """An interval of logarithms on the scale of ratios."""
    low, high = (None if each is None else exp(each) for each in (found.low, found.high))
    return Interval(value=exp(found.value), low=low, high=high)


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


def ratio_of_independent(a: Sequence[float], b: Sequence[float], error: float) -> Interval | None:
    """The geometric mean of `b` ÷ that of `a`, one positive figure per block, with its interval (two-sided error).

    None where a sample is empty or has a figure that is not positive; without ends where one has a single block.
    """
    if not a or not b or min(*a, *b, math.inf) <= 0:
        return None
    found = difference_of_independent(np.log(a).tolist(), np.log(b).tolist(), error)
    assert found is not None, "neither is empty"
    return of_logs(found)


def difference_of_independent(a: Sequence[float], b: Sequence[float], error: float) -> Interval | None:
    """Mean of `b` minus mean of `a`, in their unit, with its interval; None where one of them is empty."""
    if not a or not b:
        return None
    middle = float(np.mean(b) - np.mean(a))
    if len(a) < 2 or len(b) < 2:
        return Interval(value=middle, low=None, high=None)
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return Interval(value=middle, low=middle, high=middle)
    from scipy.stats import ttest_ind  # takes half a second, and only `hopcost compare` needs it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # one constant sample: its variance is 0, exactly
        ends = ttest_ind(b, a, equal_var=False).confidence_interval(1 - error)
    return Interval(value=middle, low=float(ends.low), high=float(ends.high))
