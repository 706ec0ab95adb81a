"""The open-loop phase: which loads are offered after the closed loop, how long its slices are, and how many."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from hopcost.plan.method import METHOD


class Offered(msgspec.Struct, frozen=True):
    """The offered loads (share of the slowest arm's throughput → requests per second) and the slices of each."""

    rates: dict[float, float]
    slice_ns: int
    rounds: int


def offered_rates(throughputs: Iterable[float | None], shares: Iterable[float]) -> dict[float, float]:
    """Requests per second for each share of the slowest arm's throughput, to two significant digits.

    The same for all arms, so that they are compared under one load. Arms without an answer (None or 0) do not count;
    {} if no arm is left.

    >>> offered_rates([1000.0, 4000.0, None], [0.25, 0.5])
    {0.25: 250.0, 0.5: 500.0}
    """
    known = [throughput for throughput in throughputs if throughput]
    return {share: two_digits(min(known) * share) for share in shares} if known else {}


def two_digits(value: float) -> float:
    """A positive number, rounded.

    >>> [two_digits(each) for each in (12345.6, 995.0, 0.0123)]
    [12000.0, 1000.0, 0.012]
    """
    return round(value, 1 - math.floor(math.log10(value)))


def slice_ns(longest_stall_ns: int) -> int:
    """The length of a slice: a stall of the generator must be a small part of it. Capped: the longest would not end.

    >>> slice_ns(3_000_000), slice_ns(80_000_000), slice_ns(10**9)
    (1000000000, 1600000000, 4000000000)
    """
    return min(max(METHOD.min_open_slice_ns, METHOD.stalls_per_slice * longest_stall_ns), METHOD.max_open_slice_ns)


def is_capped(longest_stall_ns: int) -> bool:
    """Whether the slices are shorter than they ought to be."""
    return longest_stall_ns * METHOD.stalls_per_slice > METHOD.max_open_slice_ns


def rounds(closed_ns: int, slice_ns: int) -> int:
    """Rounds for each offered load: 2 s for each arm, less if its closed loop (ns) was shorter; at least one.

    >>> rounds(5 * 10**9, 10**9), rounds(200_000_000, 10**9), rounds(5 * 10**9, 4 * 10**9)
    (2, 1, 1)
    """
    return max(1, round(min(METHOD.open_phase_ns, closed_ns) / slice_ns))


def phase_s(
    *,
    arms: int,
    loads: int,
    settle_ns: int,
    warm_up_ns: int,
    rounds: int = METHOD.open_phase_ns // METHOD.min_open_slice_ns,
) -> float:
    """About how long the open loop of a block takes: each load's warm-up and rounds of the shortest slices, all arms.

    >>> phase_s(arms=3, loads=2, settle_ns=100_000_000, warm_up_ns=300_000_000)
    15.0
    """
    return arms * loads * (warm_up_ns + rounds * (settle_ns + METHOD.min_open_slice_ns)) / 1e9
