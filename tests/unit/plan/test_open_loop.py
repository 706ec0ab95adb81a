"""The open-loop phase: which loads are offered, and how long its slices are."""

from __future__ import annotations

import pytest
from samples import blocks as sample
from samples.blocks import MS

from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.statistics.figures import throughput


def test_all_arms_are_offered_shares_of_the_slowest_ones_throughput() -> None:
    rates = open_loop.offered_rates([43_210.0, 12_340.0], [0.25, 0.5])
    assert rates == {0.25: 3100.0, 0.5: 6200.0}  # of 12,340/s: 3085 and 6170, to two digits


def test_an_arm_without_an_answer_sets_no_rate() -> None:
    dead = throughput(sample.part(sample.slice_of("behind", 0)))
    alive = throughput(sample.part(sample.slice_of("direct", 100)))
    assert open_loop.offered_rates([dead, None], [0.5]) == {}
    assert open_loop.offered_rates([dead, alive], [0.5]) == {0.5: 500.0}


@pytest.mark.parametrize(("stall_ns", "capped"), [(0, False), (200 * MS, False), (201 * MS, True)])
def test_a_slice_that_ought_to_be_longer_is_told(stall_ns: int, capped: bool) -> None:
    assert open_loop.is_capped(stall_ns) is capped
    for quick in (True, False):
        assert open_loop.slice_ns(stall_ns, quick=quick) >= min(20 * stall_ns, METHOD.max_open_slice_ns)


def test_a_quick_run_has_shorter_slices_unless_the_machine_stalls() -> None:
    quick, full = (open_loop.phase_s(arms=6, loads=1, settle_ns=300 * MS, quick=quick) for quick in (True, False))
    assert (quick, full) == (pytest.approx(4.86), pytest.approx(7.86))
    assert open_loop.slice_ns(MS, quick=True) == METHOD.quick_open_slice_ns < open_loop.slice_ns(MS, quick=False)
    assert open_loop.slice_ns(30 * MS, quick=True) == 600 * MS
