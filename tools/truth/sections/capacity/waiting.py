"""Waiting times of M/D/c: Poisson arrivals, a constant service time, c servers, first come first served. Exact.

Crommelin (1932, The Post Office Electrical Engineers' Journal 25) found the distribution; as he wrote it, its terms
alternate and cancel. Franx (2001, Operations Research Letters 29, 221-229) has it as a sum of positive terms:

    P(wait <= x) = exp(-l(kD - x)) * sum over j from 0 to kc-1 of Q(kc-j-1) * (l(kD - x))^j / j!,   (k-1)D <= x < kD

with l the arrival rate, D the service time, and Q(m) the probability that at most m requests wait in the queue. That
comes from the requests in the system at moments D apart: all that were in service have left in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

PRECISION = 1e-9  # of a capacity, as a share of it
# The queue's length falls off exponentially: what is beyond e^-24 of it is nothing.
LEAST_STATES, MOST_STATES, STATES_PER_RELAXATION = 60, 2500, 24.0

Floats = NDArray[np.float64]


def waits_within(time: float, load: float, servers: int = 1) -> float:
    """P(wait <= time), in service times, at a load (arrivals in a service time ÷ servers) below 1."""
    if time < 0:
        return 0.0
    arrivals = load * servers
    queued = np.cumsum(_queue_lengths(arrivals, servers))
    whole = math.floor(time) + 1
    terms = whole * servers
    left = arrivals * (whole - time)
    numbers = np.arange(terms)
    at_most = queued[np.minimum(terms - 1 - numbers, len(queued) - 1)]
    return min(1.0, float((at_most * poisson.pmf(numbers, left)).sum()))


def capacity(time: float, share: float, servers: int = 1) -> float:
    """The highest load at which at most `share` of the requests take `time` service times, service included, or more.

    0 if the service alone takes as long.
    """
    return _highest(lambda load: 1 - waits_within(time - 1, load, servers) <= share) if time > 1 else 0.0


def _highest(holds: Callable[[float], bool]) -> float:
    """The highest load below 1 that holds, by halving."""
    low, high = 0.0, 1.0
    while high - low > PRECISION:
        middle = (low + high) / 2
        if middle < 1 and holds(middle):
            low = middle
        else:
            high = middle
    return low


@lru_cache(maxsize=64)
def _queue_lengths(arrivals: float, servers: int) -> Floats:
    """Probability of 0, 1, 2 … waiting requests: the chain X' = max(X - c, 0) + Poisson(arrivals), solved whole."""
    relaxation = servers / max(1e-4, 2 * (1 - arrivals / servers))
    states = max(LEAST_STATES, servers * 20, math.ceil(STATES_PER_RELAXATION * relaxation))
    states = min(states, MOST_STATES)
    new = poisson.pmf(np.arange(states), arrivals)
    matrix = np.zeros((states, states))
    for before in range(states):
        left = max(before - servers, 0)
        matrix[left:, before] = new[: states - left]
    equations = matrix - np.eye(states)
    equations[-1] = 1.0
    known = np.zeros(states)
    known[-1] = 1.0
    in_system = np.maximum(np.linalg.solve(equations, known), 0.0)
    in_system /= in_system.sum()
    return np.concatenate([[in_system[: servers + 1].sum()], in_system[servers + 1 :]])
