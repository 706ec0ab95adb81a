"""Two independent samples: the difference of their means by Welch's t. Pure numbers in, pure numbers out.

Two records' blocks are no pairs, and nothing says that both machines were equally unquiet: variances are not pooled
(Welch 1947; degrees of freedom by Satterthwaite 1946).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from hopcost.statistics import Interval, of_logs


def ratio(a: Sequence[float], b: Sequence[float], error: float) -> Interval | None:
    """The geometric mean of `b` ÷ that of `a`, one positive figure per block, with its interval (two-sided error).

    None where a sample is empty or has a figure that is not positive; without ends where one has a single block.
    """
    if not a or not b or min(*a, *b, math.inf) <= 0:
        return None
    found = difference(np.log(a).tolist(), np.log(b).tolist(), error)
    assert found is not None, "neither is empty"
    return of_logs(found)


def difference(a: Sequence[float], b: Sequence[float], error: float) -> Interval | None:
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
