"""Servers as arithmetic: c servers of one queue with a constant service time, and pauses in which none works. Seeded.

What a slice of load on one would have counted, for the truth of servers without a formula and to try the search on.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class QueueServer(msgspec.Struct, frozen=True):
    """Requests take `service_s` each on one of the servers; every `period_s` none of them works for `pause_s`."""

    service_s: float
    servers: int = 1
    pause_s: float = 0.0
    period_s: float = 1.0

    def response_times(self, arrivals: Floats) -> Floats:
        """Of requests that arrive at these times, in order, at an idle server; in s.

        With one service time for all, each request follows the one `servers` places before it: every server has a
        queue of its own, in which completion = max(arrival, completion before) + service. Time is that in which the
        servers work.
        """
        working = self._worked(arrivals)
        completions = np.empty_like(working)
        for first in range(self.servers):
            own = working[first :: self.servers]
            steps = self.service_s * np.arange(len(own))
            completions[first :: self.servers] = np.maximum.accumulate(own - steps) + steps + self.service_s
        return self._wall(completions) - arrivals

    def _worked(self, times: Floats) -> Floats:
        """For how long the servers have worked by then: each period begins with its pause."""
        if not self.pause_s:
            return times
        periods, within = np.divmod(times, self.period_s)
        return periods * (self.period_s - self.pause_s) + np.maximum(within - self.pause_s, 0.0)

    def _wall(self, worked: Floats) -> Floats:
        """The other way."""
        if not self.pause_s:
            return worked
        each = self.period_s - self.pause_s
        periods = np.ceil(worked / each) - 1  # what ends with a period is done before the pause
        return worked + (periods + 1) * self.pause_s


def slice_of(server: QueueServer, rate_per_s: float, seconds: float, dice: np.random.Generator) -> Floats:
    """Response times of a slice of Poisson arrivals at an idle server, from a random moment of its period on."""
    begins = dice.uniform(0, server.period_s) if server.pause_s else 0.0
    number = dice.poisson(rate_per_s * seconds)
    return server.response_times(begins + np.sort(dice.uniform(0, seconds, number)))


def simulated_capacity(server: QueueServer, time_s: float, share: float, seconds: float, seed: int = 1) -> float:
    """Requests per second at which that share takes so long, by halving over `seconds` of simulated load at each rate.

    The first of all the rates is the most that the servers can do; arrivals are the same at all rates, stretched.
    """
    most = server.servers / server.service_s * (1 - server.pause_s / server.period_s)
    gaps = np.random.default_rng(seed).exponential(1.0, round(most * seconds))

    def holds(rate_per_s: float) -> bool:
        times = server.response_times(np.cumsum(gaps) / rate_per_s)
        return bool(np.mean(times >= time_s) <= share)

    return _halve(holds, most)


def _halve(holds: Callable[[float], bool], most: float) -> float:
    low, high = 0.0, most
    for _ in range(18):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2
