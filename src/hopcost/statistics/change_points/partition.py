"""The partition of a history with the least squares, for each number of changes.

Exact, by dynamic programming in ruptures (Truong, Oudre and Vayatis 2020, Signal Processing 167). Its PELT is not
used: with a least length of stretches it drops places that turn out to be the best (its issue 383), and does so at the
end of a history, where a new change is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hopcost.errors import needs_extra
from hopcost.statistics.change_points.segments import LEAST_RECORDS

Floats = NDArray[np.float64]
Edges = tuple[int, ...]  # 0, the first record after each change, and the number of records

MOST_CHANGES = 60  # the work grows with changes times records squared: 5,000 records take about a second


def best_partitions(values: Floats) -> list[Edges]:
    """For 0, 1, 2 … changes, as many as the records (n,) have room for, the edges of the best partition.

    CannotMeasure if ruptures is not installed.
    """
    number = len(values)
    most = min(number // LEAST_RECORDS - 1, MOST_CHANGES)
    whole: Edges = (0, number)
    if most < 1:
        return [whole]
    with needs_extra("history", "finding changes in a history"):
        from ruptures import KernelCPD
    search = KernelCPD(kernel="linear", min_size=LEAST_RECORDS).fit(values.reshape(-1, 1))
    search.predict(n_bkps=most)  # finds those of fewer changes on its way
    by_number = [search.predict(n_bkps=changes) for changes in range(1, most + 1)]
    return [whole, *((0, *(int(end) for end in ends)) for ends in by_number)]


def squares(values: Floats, edges: Edges) -> float:
    """The sum of squares about the means of all stretches; `values` lie about 0, or digits are lost."""
    sums = np.add.reduceat(values, edges[:-1])
    return max(0.0, float(values @ values - (sums**2 / np.diff(edges)).sum()))
