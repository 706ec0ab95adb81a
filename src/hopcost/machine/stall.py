"""For how long a core stalls: a thread looks at the clock without a pause. Run while nothing is measured."""

from __future__ import annotations

import contextlib
import os
import time


def longest_stall_ns(cores: list[int], look_ns: int) -> int:
    """The longest time, in ns, for which one of these cores did not run a loop that looks at the clock.

    The calling thread moves to each core in turn; to be called while no load runs.
    """
    allowed = os.sched_getaffinity(0)
    longest = 0
    try:
        for core in cores:
            os.sched_setaffinity(0, {core})
            longest = max(longest, _longest_gap_ns(look_ns))
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, allowed)
    return longest


def _longest_gap_ns(look_ns: int) -> int:
    last = time.monotonic_ns()
    end, longest = last + look_ns, 0
    while last < end:
        now = time.monotonic_ns()
        longest = max(longest, now - last)
        last = now
    return longest
