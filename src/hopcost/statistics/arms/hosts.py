"""Blocks of several machines: a machine's blocks share the machine, so with enough machines they are the units. Pure.

    log-ratio = mu + machine + block

With fewer than five machines nobody knows how much machines differ: the interval is then of blocks on these machines.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.statistics import intervals
from hopcost.statistics.intervals import Interval


def host_means(values: Sequence[float], sites: Sequence[str | None]) -> dict[str, float]:
    """The mean of each site's blocks; blocks of no site have none.

    >>> host_means([1.0, 3.0, 5.0], ["a", "a", "b"])
    {'a': 2.0, 'b': 5.0}
    """
    by_site: dict[str, list[float]] = {}
    for value, site in zip(values, sites, strict=True):
        if site is not None:
            by_site.setdefault(site, []).append(value)
    return {site: statistics.fmean(own) for site, own in by_site.items()}


def stand_for_their_kind(sites: Sequence[str | None]) -> bool:
    """Whether so many machines measured that the interval is of machines, and no longer of blocks.

    >>> stand_for_their_kind(["a", "b", "c", "d", "a"]), stand_for_their_kind(list("abcde"))
    (False, True)
    """
    return None not in sites and len(set(sites)) >= METHOD.min_hosts


def interval_over_hosts(values: Sequence[float], sites: Sequence[str | None], error: float) -> Interval | None:
    """Mean of the sites' means with Student's t interval, of one degree less than there are sites; None without one."""
    return intervals.mean(list(host_means(values, sites).values()), error)
