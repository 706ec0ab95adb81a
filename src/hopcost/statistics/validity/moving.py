"""Whether an arm's ratio moved from start to start: then starts are not alike, and no range over them is wide enough.

Kendall's rank correlation with the order of the starts (Mann 1945, Econometrica 13(3)). It asks nothing of how starts
scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hopcost.plan.method import METHOD

MOVED = "its ratio moved during the run"


def has_moved(ratios: Sequence[float]) -> bool:
    """Whether the ratios of an arm, or their logarithms, in the order of its starts, rise or fall beyond chance."""
    return len(ratios) >= METHOD.min_starts_of_trend and kendall(ratios) < METHOD.trend_error


def kendall(values: Sequence[float]) -> float:
    """Two-sided probability that values without a trend are at least as much in order as these, either way.

    Exact: of all orders of n values, those with at most so many pairs against the trend. Two equal values count
    against it.

    >>> round(kendall([1, 2, 3, 4, 5, 6]), 6), round(kendall([6, 5, 4, 3, 1, 2]), 6)
    (0.002778, 0.016667)
    """
    rising = sum(second > first for first, second in combinations(values, 2))
    falling = sum(second < first for first, second in combinations(values, 2))
    against = len(values) * (len(values) - 1) // 2 - max(rising, falling)
    return min(1.0, 2 * float(_orders_by_inversions(len(values))[: against + 1].sum()))


@cache
def _orders_by_inversions(count: int) -> NDArray[np.float64]:
    """The share of all orders of so many values that have 0, 1, 2 … pairs in the wrong order.

    One value more, put into any of the places, adds 0 to n - 1 of them, each as often as the others (Kendall 1938,
    Biometrika 30(1/2), section 9; Mahonian numbers, Knuth, The Art of Computer Programming 3, 5.1.1).
    """
    shares = np.ones(1)
    for values in range(2, count + 1):
        sums = np.cumsum(np.pad(shares, (0, values - 1)))
        shares = (sums - np.pad(sums, (values, 0))[: len(sums)]) / values
    return shares
