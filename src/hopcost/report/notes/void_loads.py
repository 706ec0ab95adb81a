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
    """What happened, each kind once (of several generators on each machine), with the least and the most of it."""
    extents: dict[tuple[LoadFaultKind, str | None], list[float]] = {}
    for fault in faults:
        extents.setdefault((fault.kind, fault.machine), []).append(fault.extent or 0.0)
    return "; ".join(
        f"{'' if machine is None else f'on {machine}: '}{WORDS[kind].format(_range(of_all))}"
        for (kind, machine), of_all in extents.items()
    )


def _starts(load: VoidStarts) -> str:
    return f"{len(load.void)} of {count(load.starts, 'start')} {'does' if len(load.void) == 1 else 'do'}"


def _range(extents: Sequence[float]) -> str:
    """`6 to 12 %`, or `6 %`."""
    ends = dict.fromkeys(f"{100 * extent:.0f}" for extent in (min(extents), max(extents)))
    return f"{' to '.join(ends)} %"
