"""The open-loop phase: which loads are offered, how long its slices are. Pure, but for the look at the clock."""

from __future__ import annotations

import os

import factory
import pytest
from factory import MS

from hopcost import open_loop


def test_all_arms_are_offered_shares_of_the_slowest_ones_throughput() -> None:
    arms = [factory.part(factory.slice_of(arm, answers)) for arm, answers in (("direct", 4321), ("behind", 1234))]
    rates = open_loop.offered_rates(arms, [0.25, 0.5])
    assert rates == {0.25: 3100.0, 0.5: 6200.0}  # of 12,340/s: 3085 and 6170, to two digits


def test_an_arm_without_an_answer_sets_no_rate() -> None:
    dead = factory.part(factory.slice_of("behind", 0))
    assert open_loop.offered_rates([dead], [0.5]) == {}
    assert open_loop.offered_rates([dead, factory.part(factory.slice_of("direct", 100))], [0.5]) == {0.5: 500.0}


@pytest.mark.parametrize(("stall_ns", "capped"), [(0, False), (200 * MS, False), (201 * MS, True)])
def test_a_slice_that_ought_to_be_longer_is_told(stall_ns: int, capped: bool) -> None:
    assert open_loop.is_capped(stall_ns) is capped
    assert open_loop.slice_ns(stall_ns) >= min(20 * stall_ns, open_loop.SLICE_NS_MOST)


def test_the_look_at_the_clock_leaves_the_thread_where_it_was() -> None:
    allowed = os.sched_getaffinity(0)
    assert open_loop.longest_stall_ns([max(allowed)], look_ns=MS) > 0
    assert os.sched_getaffinity(0) == allowed
