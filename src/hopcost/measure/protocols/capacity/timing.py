"""How long probes are, and how many of them and of starts the time holds. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.statistics.questions.capacity.objectives import Objective

ONE_ARM_S, EACH_ARM_S = 90.0, 60.0  # time of a run with one arm, and for each of several
LEAST_PROBE_S, MOST_PROBE_S = 1.0, 4.0
SLOW_AT_LEAST = 10  # requests of a probe that are slow at the capacity: with fewer, whether it holds is luck
TIMES_OBJECTIVE = 4.0  # the time of an objective that a probe lasts at the least: a queue must have time to grow
REQUESTS_ON_RUNG = 20  # that a probe has at the least before a rate has missed
STARTS, LEAST_STARTS = 5, 3  # after the first one, in which the rate climbs
PROBES, LEAST_PROBES = 4, 3  # of each start
CLIMB, LEAST_CLIMB = 9, 6  # probes of the climb, usually and at the least
MOST_IN_CLIMB = 16  # of a start; it ends there, wherever it is
AFTER_CLIMB = 2  # more of the first start
ARM_START_S = 2.0  # start, check, warm-up, a moment of full load, stop; before a start has shown it
EDGES_S = 0.15  # of a probe: connections, draining, freezing, starting the engine
WARM_UP_SHARE = 0.02  # of the time that the warm-ups of a start may take
LEAST_WARM_UP_S, MOST_WARM_UP_S = 0.5, 3.0


class Probes(msgspec.Struct, frozen=True):
    """How long each probe of a start lasts, and how many there are."""

    seconds: float
    number: int


def default_time_s(arms: int) -> float:
    """The time for so many arms, unless a person says otherwise.

    >>> default_time_s(1), default_time_s(2), default_time_s(5)
    (90.0, 120.0, 300.0)
    """
    return max(ONE_ARM_S, EACH_ARM_S * arms)


def least_time_s(arms: int) -> int:
    """The time without which arms cannot climb: their starts, and probes of a second up to the full throughput.

    >>> least_time_s(1), least_time_s(2)
    (9, 18)
    """
    return math.ceil(arms * (ARM_START_S + LEAST_CLIMB * (LEAST_PROBE_S + EDGES_S)))


def needed_probe_s(objectives: Iterable[Objective], rate_per_s: float) -> float:
    """How long a probe at this rate must be for its objectives, and a second at the least.

    >>> needed_probe_s([Objective(0.01, 50_000_000)], 10_000), needed_probe_s([Objective(0.001, 50_000_000)], 1000)
    (1.0, 10.0)
    """
    timed = [objective for objective in objectives if objective.time_ns is not None]
    needed = [SLOW_AT_LEAST / (objective.share * rate_per_s) for objective in timed]
    long = [TIMES_OBJECTIVE * (objective.time_ns or 0) / 1e9 for objective in timed]
    return max([LEAST_PROBE_S, *needed, *long])


def climb_probe_s(objectives: Iterable[Objective], rate_per_s: float, *, is_rung: bool) -> float:
    """How long a probe of the climb is: short on the rungs of the ladder, then about as long as it needs.

    >>> [climb_probe_s([Objective(0.01, 50_000_000)], 100, is_rung=is_rung) for is_rung in (True, False)]
    [1.0, 4.0]
    """
    if is_rung:
        return max(LEAST_PROBE_S, min(MOST_PROBE_S, REQUESTS_ON_RUNG / rate_per_s))
    return min(needed_probe_s(objectives, rate_per_s), MOST_PROBE_S)


def probes_of_start(
    left_s: float, start_s: float, settle_s: float, arms: int, needed_s: float, done: int = 0
) -> Probes | None:
    """The probes of each arm in a start, if `left_s` are left for all starts; None if the time holds no start.

    `start_s` is what a start takes besides its probes, for all arms; `done` starts are behind the climb already. As
    many of the usual number as possible, with probes as long as needed; time that is left makes them longer, and the
    same in all of them.
    """
    for starts in range(max(1, STARTS - done), 0, -1):
        for number in range(PROBES, LEAST_PROBES - 1, -1):
            own_s = (left_s / starts - start_s) / arms / number - settle_s - EDGES_S
            if own_s >= needed_s:
                return Probes(min(own_s, max(MOST_PROBE_S, needed_s)), number)
    return None


def needed_time_s(start_s: float, settle_s: float, arms: int, needed_s: float) -> float:
    """The least time for a run whose probes must be so long: climb and starts."""
    probe_s = needed_s + settle_s + EDGES_S
    probes = CLIMB + AFTER_CLIMB + LEAST_STARTS * LEAST_PROBES
    return math.ceil((1 + LEAST_STARTS) * start_s + arms * probes * probe_s)


def warm_up_ns(time_s: float, arms: int, known_requests: Sequence[int]) -> tuple[int, int]:
    """The longest warm-up of an arm in a start, in ns, and after how many requests it may end before."""
    most_s = min(MOST_WARM_UP_S, max(LEAST_WARM_UP_S, WARM_UP_SHARE * time_s / arms))
    return round(most_s * 1e9), max(known_requests, default=METHOD.warm_up_requests)
