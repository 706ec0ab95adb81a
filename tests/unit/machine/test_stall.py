"""The look at the clock."""

from __future__ import annotations

import os

from samples.blocks import MS

from hopcost.machine import stall


def test_the_look_at_the_clock_leaves_the_thread_where_it_was() -> None:
    allowed = os.sched_getaffinity(0)
    assert stall.longest_stall_ns([max(allowed)], look_ns=MS) > 0
    assert os.sched_getaffinity(0) == allowed
