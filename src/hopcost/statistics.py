"""Ratios and intervals from per-block figures. Pure numbers in, pure numbers out.

The estimator (docs/methodology.md): one log-ratio per block, against the mean of the baseline's two runs; its mean
over blocks, weighted by their rounds, with a Student t interval. A block is the unit because a restart varies as a
whole; nothing is trimmed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import stdtrit

CONFIDENCE_ERROR = 0.05
LOG_MOST = 700.0  # a little less than the logarithm of the largest number


class Interval(msgspec.Struct, frozen=True):
    """A ratio, or a difference, with the ends of its interval; the ends are None where one block gives no spread."""

    value: float
    low: float | None
    high: float | None

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
    error: float = CONFIDENCE_ERROR,
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
    figures: Sequence[float], error: float = CONFIDENCE_ERROR, weights: Sequence[float] | None = None
) -> Interval | None:
    """The mean over blocks with its Student t interval, in the figures' unit; None when there is no block.

    `weights` (positive, None: all alike) are what the blocks' variances are the inverse of, but for a factor that the
    figures tell: weighted least squares (Aitken 1936), where t has n - 1 degrees of freedom as without weights.
    """
    if not figures:
        return None
    values, each = np.asarray(figures, dtype=float), np.ones(len(figures)) if weights is None else np.asarray(weights)
    middle = float(np.average(values, weights=each))
    if len(values) < 2:
        return Interval(value=middle, low=None, high=None)
    variance = float(np.average((values - middle) ** 2, weights=each)) / (len(values) - 1)
    reach = float(stdtrit(len(values) - 1, 1 - error / 2)) * math.sqrt(variance)
    return Interval(value=middle, low=middle - reach, high=middle + reach)


def error_per_look(looks: int) -> float:
    """The error each of several fixed looks may spend so that all together spend 5 % (Bonferroni)."""
    return CONFIDENCE_ERROR / looks


def error_left(looks: Sequence[int], blocks: int) -> float:
    """The error that a run over so many blocks has left at its end: all that looks before it have not spent.

    For a run that ends since its time or its blocks are over, not by what it saw.

    >>> error_left((6, 10, 16, 24), 6), error_left((6, 10, 16, 24), 11), error_left((6, 10, 16, 24), 24)
    (0.05, 0.025, 0.0125)
    """
    return CONFIDENCE_ERROR * (1 - sum(look < blocks for look in looks[:-1]) / len(looks))


def quantile_bounds(
    values_ns: Sequence[int], counts: Sequence[int], ages_ns: Sequence[int], age_counts: Sequence[int], q: float
) -> tuple[int, int | None] | None:
    """The q-quantile over answers (value, count; ascending) and requests still unanswered (age, count; ascending).

    An unanswered request will take at least its age: the lower bound takes it at its age, the upper as endless. Returns
    (lower, upper) in ns, upper None where the quantile lies inside the unanswered tail; None when there is nothing.
    The rank is ceil(q × n), as HdrHistogram has it.
    """
    merged = sorted([*zip(values_ns, counts, strict=True), *zip(ages_ns, age_counts, strict=True)])
    total = sum(count for _, count in merged)
    if total == 0:
        return None
    rank = max(1, math.ceil(q * total))
    lower = _at_rank(merged, rank)
    upper = _at_rank(list(zip(values_ns, counts, strict=True)), rank)
    assert lower is not None, "the rank is within the total"
    return lower, upper


def _at_rank(pairs: Sequence[tuple[int, int]], rank: int) -> int | None:
    seen = 0
    for value, count in pairs:
        seen += count
        if seen >= rank:
            return value
    return None
