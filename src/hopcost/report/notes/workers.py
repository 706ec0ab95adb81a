"""What the luck of openings did to arms whose first hop has several workers."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.report.formatting import count
from hopcost.statistics.summary.openings import WorkersLuck

MENDED_BY = {"nginx": "`reuseport` (over TCP) or `multi_accept` off mends it"}


def workers_lines(luck: Sequence[WorkersLuck]) -> list[str]:
    """One line for each arm and hop of which one worker got everything in some opening."""
    return [_line(own) for own in luck if own.one_got_everything]


def _line(own: WorkersLuck) -> str:
    openings = f"{own.one_got_everything} of {count(own.openings, 'opening')}"
    line = f"{own.arm}: in {openings} one of {own.workers} workers of {own.hop} got everything"
    change = None if own.throughput_change is None else round(own.throughput_change * 100)
    if change == 0:
        return f"{line}: it cost nothing"
    if change is not None:
        line += f": {abs(change)} % {'less' if change < 0 else 'more'}"
    hint = MENDED_BY.get(own.hop)
    return f"{line}; {hint}" if hint is not None else line
