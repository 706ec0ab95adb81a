"""Shares and tails that the rules on blocks and the rules on arms both read: idle cores, missed requests, stalls."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import ArmTotals, Slice
from hopcost.programs.generators.generator_slice import GeneratorSlice
from hopcost.record import histogram
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.statistics.figures import total


def has_long_tail(totals: ArmTotals | None) -> bool:
    """Whether the mean is above p99: of the response times if there are any, else of the service times."""
    return totals is not None and _has_long_tail(totals.response_time or totals.service_time)


@lru_cache(maxsize=4096)
def _has_long_tail(encoded: str) -> bool:
    """Kept: an arm is asked for its faults beside each arm that it stands beside."""
    times = histogram.merge([encoded])
    p99 = histogram.quantile(times, 0.99)
    return times.total >= METHOD.min_tail_answers and p99 is not None and times.mean_ns > p99


def is_even_over_slices(slices: Sequence[Slice]) -> bool:
    """Whether every slice had the same mean time in flight, so that no single moment made the tail."""
    means = [piece.in_flight_ns / piece.answers for piece in slices if piece.in_flight_ns is not None and piece.answers]
    return len(means) > 1 and max(means) < METHOD.stall_factor * statistics.median_low(means)


def is_stalled(slices: Sequence[Slice], totals: ArmTotals | None) -> bool:
    """Whether single slices made a mean above p99: something stood still then."""
    return has_long_tail(totals) and not is_even_over_slices(slices)


class GeneratorSums(NamedTuple):
    """What a generator did in some slices; what is not known counts as 0. `machine` is None if it is the only one."""

    machine: str | None
    elapsed_ns: int
    due: int
    late: int
    not_sent: int
    cpu_ns: int
    spin_ns: int
    run_delay_ns: int
    in_flight_ns: int


class Worst(NamedTuple):
    """The generator with the largest share of something bad: the share, and its machine (None: the only one)."""

    share: float
    machine: str | None


def by_generator(slices: Sequence[Slice]) -> list[GeneratorSums]:
    """Each of the generators by itself: one that cannot follow must not hide behind the others."""
    if not any(piece.generators for piece in slices):
        return [_sums(slices, None)]
    return [_sums(own, own[0].machine) for own in zip(*(piece.generators for piece in slices), strict=True)]


def worst_of(generators: Sequence[GeneratorSums], share_of: Callable[[GeneratorSums], float]) -> Worst:
    """The one with the largest share; there is at least one."""
    worst = max(generators, key=share_of)
    return Worst(share_of(worst), worst.machine)


def _sums(pieces: Sequence[Slice] | Sequence[GeneratorSlice], machine: str | None) -> GeneratorSums:
    return GeneratorSums(
        machine=machine,
        elapsed_ns=sum(piece.elapsed_ns for piece in pieces),
        due=sum(piece.due or 0 for piece in pieces),
        late=sum(piece.late or 0 for piece in pieces),
        not_sent=sum(piece.not_sent or 0 for piece in pieces),
        cpu_ns=sum(piece.generator_cpu_ns for piece in pieces),
        spin_ns=sum(piece.spin_ns or 0 for piece in pieces),
        run_delay_ns=sum(piece.run_delay_ns or 0 for piece in pieces),
        in_flight_ns=sum(piece.in_flight_ns or 0 for piece in pieces),
    )


def late_most(load: OpenLoad) -> Worst:
    """Of the due requests, what was sent late though a connection was free."""
    return worst_of(by_generator(load.slices), lambda own: share(own.late, own.due))


def unsent_most(load: OpenLoad) -> Worst:
    """Of the due requests, what was never sent."""
    return worst_of(by_generator(load.slices), lambda own: share(own.not_sent, own.due))


def is_starved(load: OpenLoad, experiment: PlannedExperiment) -> bool:
    """Whether a full stack kept the generator, on a core that both have, from sending in time."""
    idle = idle_share_under(load, experiment)
    return experiment.cores.shared and idle is not None and idle <= METHOD.min_idle_share


def could_have_sent(load: OpenLoad, experiment: PlannedExperiment) -> bool:
    """Whether requests stayed unsent though connections were free, as a rule, and the stack had nothing to do.

    The connections are those of the generator that left most unsent: all have about as many.
    """
    idle = idle_share_under(load, experiment)
    generators = by_generator(load.slices)
    worst = max(generators, key=lambda own: share(own.not_sent, own.due))
    most = experiment.requests_at_a_time(load.totals.arm) / len(generators)
    is_free = share(worst.in_flight_ns, worst.elapsed_ns) < most / 2
    return idle is not None and idle > METHOD.min_idle_share and is_free


def generator_busy(load: OpenLoad, experiment: PlannedExperiment) -> Worst:
    """The share of its cores that the busiest generator used for anything but waiting for the next request."""
    cores = len(experiment.cores.generator)
    return worst_of(by_generator(load.slices), lambda own: share(own.cpu_ns - own.spin_ns, own.elapsed_ns * cores))


def idle_share_under(load: OpenLoad, experiment: PlannedExperiment) -> float | None:
    """The share of the stack's cores that nobody used under an offered load."""
    hops = {hop for piece in load.slices for hop in piece.cpu_ns}
    cpu_ns = [total(piece.cpu_ns.get(hop) for piece in load.slices) for hop in hops]
    generator_ns = sum_of_slices(load, "generator_cpu_ns") - sum_of_slices(load, "spin_ns")
    return idle_share(cpu_ns, generator_ns, sum_of_slices(load, "elapsed_ns"), experiment)


def idle_share(
    hops: Sequence[int | None], generator_ns: int, elapsed_ns: int, experiment: PlannedExperiment
) -> float | None:
    """The share of the stack's cores that nobody used: neither the hops nor a generator that shares a core.

    None if the CPU time of one hop is unknown. `hops` are their CPU times in ns.
    """
    used_ns = total(hops)
    if not hops or used_ns is None or not elapsed_ns:
        return None
    busy_ns = used_ns + (generator_ns if experiment.cores.shared else 0)
    return 1 - busy_ns / (elapsed_ns * len(experiment.cores.stack))


def sum_of_slices(load: OpenLoad, key: str) -> int:
    """The sum of one field over the slices of an offered load; unknown values count as 0."""
    return sum(getattr(piece, key) or 0 for piece in load.slices)


def share(part: float, whole: float) -> float:
    """Part ÷ whole; 0 of nothing."""
    return part / whole if whole else 0.0
