"""What one offered rate came to: whether it held the objectives, and by how much. Counts of requests, nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import histogram
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.statistics.questions.capacity.objectives import Objective
from hopcost.statistics.summary.open_loop import response_times
from hopcost.statistics.validity.accounts import (
    could_have_sent,
    generator_busy,
    idle_share_under,
    is_starved,
    late_most,
    share,
    sum_of_slices,
    unsent_most,
)

LEAST_MISSES = 3  # requests that miss an objective: fewer are chance, however few there were
KEEPS_UP = METHOD.max_missed_share  # share of the requests that may stay unsent
TAKEN = 0.9  # share of the connections that is in flight if they are all that holds requests back
IDLE = 0.2  # share of the stack's cores from which it could do more


class Count(msgspec.Struct, frozen=True):
    """How many of the requests missed an objective, and which share may."""

    missed: int
    requests: int
    allowed: float

    @property
    def misses(self) -> bool:
        """Whether more missed than may.

        >>> [Count(missed, 1000, 0.01).misses for missed in (0, 10, 11)], Count(2, 100, 0.01).misses
        ([False, False, True], False)
        """
        return self.missed >= LEAST_MISSES and self.missed > self.allowed * self.requests


class Outcome(msgspec.Struct, frozen=True):
    """A rate, and how the objectives fared under it.

    `counts` are those of the objectives in their order, then that of requests that were never sent. `length_s` is how
    long the probe was. `is_limited`: the generator could not offer the rate. `is_out_of_connections`: all were taken
    while the stack was idle.
    """

    rate_per_s: float
    counts: list[Count]
    length_s: float = 0.0
    is_limited: bool = False
    is_out_of_connections: bool = False

    @property
    def log_rate(self) -> float:
        """Its natural logarithm."""
        return math.log(self.rate_per_s)

    @property
    def misses(self) -> bool:
        """Whether it misses one of them."""
        return any(count.misses for count in self.counts)


def logit(probability: float) -> float:
    """Of a share between 0 and 1."""
    return math.log(probability / (1 - probability))


def read_outcome(load: OpenLoad, objectives: Sequence[Objective], experiment: PlannedExperiment) -> Outcome | None:
    """What an offered rate came to; None if not one request was due.

    A request without an answer took at least its age. If that is below an objective's time, nobody knows, and it
    counts for nothing there.
    """
    due = sum_of_slices(load, "due")
    if not due:
        return None
    counts = [_count(load, objective, due) for objective in objectives]
    counts.append(Count(sum_of_slices(load, "not_sent"), due, KEEPS_UP))
    outcome = Outcome(load.rate_per_s, counts, sum_of_slices(load, "elapsed_ns") / 1e9)
    if not outcome.misses:
        return outcome
    return msgspec.structs.replace(
        outcome,
        is_limited=is_limited(load, experiment),
        is_out_of_connections=is_out_of_connections(load, experiment),
    )


def _count(load: OpenLoad, objective: Objective, due: int) -> Count:
    if objective.time_ns is None:
        failed = sum(sum(piece.errors.values()) for piece in load.slices)
        return Count(min(failed, due), due, objective.share)
    answered, waiting = response_times([load])
    slow = histogram.count_above(answered, objective.time_ns)
    late = histogram.count_above(waiting, objective.time_ns)
    return Count(slow + late, answered.total + late, objective.share)


def is_limited(load: OpenLoad, experiment: PlannedExperiment) -> bool:
    """Whether the generator, and not the stack, kept the rate from being offered in time."""
    return (
        generator_busy(load, experiment).share >= METHOD.full_share
        or (late_most(load).share > METHOD.max_late_share and not is_starved(load, experiment))
        or (unsent_most(load).share > METHOD.max_missed_share and could_have_sent(load, experiment))
    )


def is_out_of_connections(load: OpenLoad, experiment: PlannedExperiment) -> bool:
    """Whether every connection was taken although the stack had time to spare."""
    in_flight = share(sum_of_slices(load, "in_flight_ns"), sum_of_slices(load, "elapsed_ns"))
    idle = idle_share_under(load, experiment)
    return idle is not None and idle > IDLE and in_flight > TAKEN * experiment.requests_at_a_time(load.totals.arm)
