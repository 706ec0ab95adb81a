"""What the machine did while a block ran: differences of counters, and files that may not be there."""

from __future__ import annotations

from hopcost.machine import conditions
from hopcost.machine.conditions import Change, Conditions


def test_a_block_has_what_was_added() -> None:
    before = Conditions(monotonic_ns=5, steal_ns=1, throttled_ns=None, swapped_pages=7, wall_ahead_ns=100)
    after = Conditions(monotonic_ns=9, steal_ns=4, throttled_ns=None, swapped_pages=9, wall_ahead_ns=90)
    assert conditions.change(before, after) == Change(
        elapsed_ns=4, steal_ns=3, throttled_ns=None, swapped_pages=2, clock_step_ns=-10
    )


def test_absent_is_not_zero() -> None:
    assert conditions.swapped_pages("pgpgin 4\n") is None
    assert conditions.throttled_of("usage_usec 5\nuser_usec 3\n") is None


def test_the_wall_clock_stays_where_it_is() -> None:
    first, again = conditions.wall_ahead_ns(), conditions.wall_ahead_ns()
    assert abs(first - again) < 10**8  # a busy machine may interrupt even the best of five readings


def test_counters_can_be_read_here() -> None:
    read = conditions.now([0])
    assert read.monotonic_ns > 0 and read.steal_ns >= 0
    assert read.swapped_pages is not None  # every Linux has them
