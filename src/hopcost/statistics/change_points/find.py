"""Change points: the number of changes that the records warrant, their sizes, and intervals that hold between records.

Records of one stretch scatter by a spread s that nobody knows:

    log-ratio of record i ~ N(mean of its stretch, s²),   means flat,   s² with the prior of spread.py

At the best means, with s integrated out and a degree of freedom taken by the level, -2 log likelihood of k changes is
(d + 1) log(A + R(k)) but for a constant: R(k) is the least sum of squares of k changes, A the prior's sum of squares,
and d = its degrees of freedom + n - 2. Each change costs a penalty on top, and the k with the least sum is chosen
(penalised likelihood: Yao 1988, Statistics & Probability Letters 6; with unknown variance: Lebarbier 2005, Signal
Processing 85). The penalty is

    (d + 1) log(1 + t² / d),   t Student's quantile of d degrees of freedom at the two-sided error of `split_error`

so that a history is split in two exactly if Student's t of its two parts is beyond t. The error is that of one place,
not of all. A stretch with a change at either end has about n ÷ (its records) places where noise may make one, so it
costs 2 log(n ÷ records) more: as scales are weighed by Chan and Walther 2013, Statistica Sinica 23. Simulated, this
makes less than one false change in 200 records (docs/explain/change-points.md).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from hopcost.plan.method import METHOD
from hopcost.statistics.change_points.outliers import tame
from hopcost.statistics.change_points.partition import Edges, Floats, best_partitions, squares
from hopcost.statistics.change_points.segments import Change, Segments, Stretch
from hopcost.statistics.change_points.spread import Spread, prior

SPLIT_ERROR = 0.014
WHOLE_FROM = 40  # records; with fewer the error shrinks in proportion, so that one false change has as many records


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
    stretches = tuple(_stretch(values, first, after, learned) for first, after in itertools.pairwise(edges))
    changes = tuple(_change(*both, learned) for both in itertools.pairwise(stretches))
    spread = math.sqrt(learned.variance)
    return Segments(stretches=stretches, changes=changes, spread=spread, degrees=learned.degrees)


def split_error(records: int) -> float:
    """The two-sided error of one place in a history of so many records.

    >>> split_error(20), split_error(40), split_error(400)
    (0.007, 0.014, 0.014)
    """
    return SPLIT_ERROR * min(1.0, records / WHOLE_FROM)


def penalty(degrees: float, error: float = SPLIT_ERROR) -> float:
    """Of one change, on the scale of -2 log likelihood, where one split leaves so many degrees of freedom.

    >>> round(penalty(30.0), 2), round(penalty(1e6), 2)
    (6.34, 6.04)
    """
    quantile = float(stdtrit(degrees, 1 - error / 2))
    return (degrees + 1) * math.log1p(quantile**2 / degrees)


def between_changes(edges: Edges) -> float:
    """What stretches with a change at either end cost more: the shorter, the more places they might lie at.

    >>> between_changes((0, 10, 40)), round(between_changes((0, 10, 20, 40)), 3)
    (0.0, 2.773)
    """
    inner = edges[1:-1]
    return 2 * math.fsum(math.log(edges[-1] / (after - first)) for first, after in itertools.pairwise(inner))


def _chosen(values: Floats, known: Spread) -> Edges:
    """Of the best partitions, the one with the least penalised likelihood; of equal ones that with fewer changes."""
    degrees = known.degrees + len(values) - 2
    of_each = penalty(degrees, split_error(len(values)))

    def cost(edges: Edges) -> float:
        changes = len(edges) - 2
        likelihood = (degrees + 1) * math.log(known.sum_of_squares + squares(values, edges))
        return likelihood + changes * of_each + between_changes(edges)

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
