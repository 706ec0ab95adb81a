"""Single records that are far off: they may neither move a level, nor widen the spread until each change is lost in it.

A record that is far from those before it and from those after it takes their median's place: Hampel's identifier
(Davies and Gather 1993, JASA 88) on each side by itself. At the edges of a change one side agrees, so these stay.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEIGHBOURS = 3  # on each side, as many as a stretch has at least
FAR = 4.5  # spreads
# A normal spread ÷ the median distance of two records: that distance has the spread times the root of 2.
OF_DISTANCES = 1.4826 / np.sqrt(2)


def tame(log_ratios: Floats, least_spread: float) -> Floats:
    """The same (n,), each record that is more than `FAR` spreads off replaced by the median of the nearer side.

    The spread comes from the distances of neighbours in time, which a change hardly touches. It is not less than
    `least_spread`: in a short history they may be small by chance.
    """
    if len(log_ratios) < 2:
        return log_ratios
    reach = FAR * max(OF_DISTANCES * float(np.median(np.abs(np.diff(log_ratios)))), least_spread)
    beyond = np.full(NEIGHBOURS, np.nan)
    windows = sliding_window_view(np.concatenate([beyond, log_ratios, beyond]), 2 * NEIGHBOURS + 1)
    before, after = windows[:, :NEIGHBOURS].copy(), windows[:, NEIGHBOURS + 1 :].copy()
    before[0], after[-1] = after[0], before[-1]  # the first and the last record have one side only
    middles = np.nanmedian(before, axis=1), np.nanmedian(after, axis=1)
    is_nearer_before = np.abs(log_ratios - middles[0]) <= np.abs(log_ratios - middles[1])
    nearest = np.where(is_nearer_before, *middles)
    return np.where(np.abs(log_ratios - nearest) > reach, nearest, log_ratios)
