"""Change points: the number of changes that the records warrant, their sizes, and intervals that hold between records.

Records of one stretch scatter by a spread s that nobody knows:

    log-ratio of record i ~ N(mean of its stretch, s²),   means flat,   s² with the prior of spread.py

At the best means, with s integrated out and a degree of freedom taken by the level, -2 log likelihood of k changes is
(d + 1) log(A + R(k)) but for a constant: R(k) is the least sum of squares of k changes, A the prior's sum of squares,
and d = its degrees of freedom + n - 2. Each change costs a penalty on top, and the k with the least sum is chosen
(penalised likelihood: Yao 1988, Statistics & Probability Letters 6; with unknown variance: Lebarbier 2005, Signal
Processing 85). The penalty is

    (d + 1) log(1 + t² / d),   t Student's quantile of d degrees of freedom at the two-sided error SPLIT_ERROR

so that a stretch is split in two exactly if Student's t of its two parts is beyond t. The error is that of one place,
not of all: simulated, it makes less than one false change in 200 records (docs/explain/change-points.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import stdtrit

from hopcost.plan.method import METHOD
from hopcost.statistics.change_points.outliers import tame
from hopcost.statistics.change_points.partition import Edges, Floats, best_partitions, squares
from hopcost.statistics.change_points.segments import Change, Segments, Stretch
from hopcost.statistics.change_points.spread import Spread, prior

SPLIT_ERROR = 0.0125


def change_points(log_ratios: Sequence[float], standard_errors: Sequence[float | None]) -> Segments:
    """The stretches of a history and the changes between them.

    `log_ratios` are ln(arm ÷ baseline) of each record, (n,), in the order of time. `standard_errors` belong to them, as
    each record's own starts give them; None is unknown. Intervals are of 95 %, each by itself. CannotMeasure if
    ruptures is not installed; without records there is no stretch.
    """
    known = prior(standard_errors)
    if not log_ratios:
        return Segments(stretches=(), changes=(), spread=math.sqrt(known.variance), degrees=known.degrees)
    values = tame(np.asarray(log_ratios, dtype=float), math.sqrt(known.variance))
    level = float(np.median(values))
    edges = _chosen(values - level, known)
    learned = known.updated(squares(values - level, edges), len(values) - len(edges) + 1)
    stretches = tuple(_stretch(values, first, after, learned) for first, after in pairwise(edges))
    changes = tuple(_change(*both, learned) for both in pairwise(stretches))
    spread = math.sqrt(learned.variance)
    return Segments(stretches=stretches, changes=changes, spread=spread, degrees=learned.degrees)


def penalty(degrees: float) -> float:
    """Of one change, on the scale of -2 log likelihood, where one split leaves so many degrees of freedom.

    >>> round(penalty(30.0), 2), round(penalty(1e6), 2)
    (6.55, 6.24)
    """
    quantile = float(stdtrit(degrees, 1 - SPLIT_ERROR / 2))
    return (degrees + 1) * math.log1p(quantile**2 / degrees)


def _chosen(values: Floats, known: Spread) -> Edges:
    """Of the best partitions, the one with the least penalised likelihood; of equal ones that with fewer changes."""
    degrees = known.degrees + len(values) - 2

    def cost(edges: Edges) -> float:
        changes = len(edges) - 2
        likelihood = (degrees + 1) * math.log(known.sum_of_squares + squares(values, edges))
        return likelihood + changes * penalty(degrees)

    return min(best_partitions(values), key=cost)


def _stretch(values: Floats, first: int, after: int, spread: Spread) -> Stretch:
    mean = float(values[first:after].mean())
    reach = reach_of(spread, 1 / (after - first))
    return Stretch(first=first, after=after, mean=mean, low=mean - reach, high=mean + reach)


def _change(before: Stretch, after: Stretch, spread: Spread) -> Change:
    size = after.mean - before.mean
    reach = reach_of(spread, 1 / before.records + 1 / after.records)
    return Change(index=after.first, size=size, low=size - reach, high=size + reach)


def reach_of(spread: Spread, share: float, error: float = METHOD.confidence_error) -> float:
    """How far the interval of two-sided `error` goes from a mean whose variance is that share of a record's."""
    return float(stdtrit(spread.degrees, 1 - error / 2)) * math.sqrt(spread.variance * share)
