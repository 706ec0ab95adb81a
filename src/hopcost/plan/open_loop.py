"""The open-loop phase: which loads are offered after the closed loop, and how long the slice of each is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from hopcost.plan.method import METHOD


class Offered(msgspec.Struct, frozen=True):
    """The offered loads (share of the slowest arm's throughput → requests per second) and the length of their slice."""

    rates: dict[float, float]
    slice_ns: int


def offered_rates(
    throughputs: Iterable[float | None], shares: Iterable[float], named: Sequence[float] = ()
) -> dict[float, float]:
    """Requests per second by share of the slowest arm's throughput: those `named`, else each share to two digits.

    The same for all arms, so that they are compared under one load. Arms without an answer (None or 0) do not count;
    {} if no arm is left.

    >>> offered_rates([1000.0, 4000.0, None], [0.25, 0.5])
    {0.25: 250.0, 0.5: 500.0}
    >>> offered_rates([1000.0, 4000.0], [], named=[300.0])
    {0.3: 300.0}
    """
    slowest = min((throughput for throughput in throughputs if throughput), default=None)
    if slowest is None:
        return {}
    if named:
        return {rate / slowest: rate for rate in named}
    return {share: two_digits(slowest * share) for share in shares}


def two_digits(value: float) -> float:
    """A positive number, rounded.

    >>> [two_digits(value) for value in (12345.6, 995.0, 0.0123)]
    [12000.0, 1000.0, 0.012]
    """
    return round(value, 1 - math.floor(math.log10(value)))


def least_slice_ns(*, quick: bool) -> int:
    """The length of a slice on a machine that never stalls."""
    return METHOD.quick_open_slice_ns if quick else METHOD.min_open_slice_ns


def slice_ns(longest_stall_ns: int, *, quick: bool) -> int:
    """The length of a slice: a stall of the generator must be a small part of it. Capped: the longest would not end.

    >>> [slice_ns(stall_ns, quick=False) for stall_ns in (3_000_000, 80_000_000, 10**9)]
    [1000000000, 1600000000, 4000000000]
    >>> [slice_ns(stall_ns, quick=True) for stall_ns in (3_000_000, 80_000_000, 10**9)]
    [500000000, 1600000000, 4000000000]
    """
    needed_ns = max(least_slice_ns(quick=quick), METHOD.stalls_per_slice * longest_stall_ns)
    return min(needed_ns, METHOD.max_open_slice_ns)


def is_capped(longest_stall_ns: int) -> bool:
    """Whether the slices are shorter than they ought to be."""
    return longest_stall_ns * METHOD.stalls_per_slice > METHOD.max_open_slice_ns


def phase_s(*, arms: int, loads: int, settle_ns: int, quick: bool) -> float:
    """About how long the open loop of a block takes: for each load and arm a warm-up, a settling, a shortest slice.

    >>> phase_s(arms=3, loads=2, settle_ns=300_000_000, quick=False)
    7.86
    """
    return arms * loads * (METHOD.open_warm_up_ns + settle_ns + least_slice_ns(quick=quick)) / 1e9
