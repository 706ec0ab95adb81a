"""Offered loads that do not count, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.record.contents.offered_load import LoadFault, LoadFaultKind
from hopcost.report.formatting import count, number
from hopcost.statistics.summary.open_loop import VoidStarts

WORDS = {
    LoadFaultKind.SATURATED: "the generator's cores were {} busy",
    LoadFaultKind.LATE: "the generator sent {} of the requests late",
    LoadFaultKind.NOT_SENT: "the generator did not send {} of the requests",
    LoadFaultKind.STALLED: "something stood still",
}


def void_load_lines(loads: Sequence[VoidStarts]) -> list[str]:
    """`at 1,600/s: 3 of 8 starts do not count: the generator sent 6 to 12 % of the requests late`."""
    return [f"at {number(load.rate_per_s)}/s: {_starts(load)} not count: {words(load.faults)}" for load in loads]


def words(faults: Sequence[LoadFault]) -> str:
    """What happened, each kind once, with the least and the most of it."""
    kinds = dict.fromkeys(fault.kind for fault in faults)
    return "; ".join(
        WORDS[kind].format(_range([fault.extent or 0.0 for fault in faults if fault.kind is kind])) for kind in kinds
    )


def _starts(load: VoidStarts) -> str:
    return f"{len(load.void)} of {count(load.starts, 'start')} {'does' if len(load.void) == 1 else 'do'}"


def _range(extents: Sequence[float]) -> str:
    """`6 to 12 %`, or `6 %`."""
    ends = dict.fromkeys(f"{100 * extent:.0f}" for extent in (min(extents), max(extents)))
    return f"{' to '.join(ends)} %"
