"""Welch's t against values worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known import near
from scipy.special import stdtrit

from hopcost.statistics import intervals
from hopcost.statistics.intervals import Interval

# Means 2 and 4.25; variances 1 and 14.75 ÷ 3; squared error 1/3 + 14.75/12 = 1.5625, so a standard error of 1.25.
A, B = [1.0, 2.0, 3.0], [2.0, 3.0, 5.0, 7.0]
DEGREES = 1.5625**2 / ((1 / 3) ** 2 / 2 + (14.75 / 12) ** 2 / 3)  # Satterthwaite: 4.366


@pytest.mark.parametrize("error", [0.05, 0.05 / 12])
def test_a_difference_worked_by_hand(error: float) -> None:
    found = intervals.difference_of_independent(A, B, error)
    reach = 1.25 * stdtrit(DEGREES, 1 - error / 2)
    assert found is not None and found.low is not None and found.high is not None
    assert found.value == 2.25
    assert (found.low, found.high) == (pytest.approx(2.25 - reach), pytest.approx(2.25 + reach))


def test_a_ratio_is_the_difference_of_logarithms() -> None:
    found = intervals.ratio_of_independent([math.exp(x) for x in A], [math.exp(x) for x in B], 0.05)
    logs = intervals.difference_of_independent(A, B, 0.05)
    assert found is not None and logs is not None and logs.low is not None and logs.high is not None
    assert found.value == pytest.approx(math.exp(2.25))
    assert (found.low, found.high) == (pytest.approx(math.exp(logs.low)), pytest.approx(math.exp(logs.high)))


def test_the_order_of_blocks_does_not_matter_and_the_order_of_records_turns_it_round() -> None:
    there, back = intervals.ratio_of_independent(A, B, 0.05), intervals.ratio_of_independent(B[::-1], A[::-1], 0.05)
    assert there is not None and back is not None and there.low is not None and back.high is not None
    assert there.value == pytest.approx(1 / back.value)
    assert there.low == pytest.approx(1 / back.high)


def test_one_block_gives_no_interval_and_none_no_figure() -> None:
    assert intervals.ratio_of_independent([2.0], [1.0, 1.0], 0.05) == Interval(value=near(0.5), low=None, high=None)
    assert intervals.ratio_of_independent([], [1.0], 0.05) is None
    assert intervals.ratio_of_independent([1.0, 0.0], [1.0, 2.0], 0.05) is None


def test_without_spread_the_interval_is_a_point() -> None:
    assert intervals.difference_of_independent([1.0, 1.0], [3.0, 3.0], 0.05) == Interval(value=2.0, low=2.0, high=2.0)


def test_one_side_without_spread_leaves_the_others_interval() -> None:
    """Then the degrees of freedom are those of the other sample alone: 2, for [1, 2, 3], with an error of √(1/3)."""
    found = intervals.difference_of_independent([0.0, 0.0, 0.0], A, 0.05)
    reach = math.sqrt(1 / 3) * stdtrit(2, 0.975)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(2 - reach), pytest.approx(2 + reach))


@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=12), st.floats(0.1, 10.0))
def test_what_slows_a_whole_record_multiplies_the_ratio(figures: list[float], factor: float) -> None:
    slowed = intervals.ratio_of_independent(figures, [each * factor for each in figures], 0.05)
    assert slowed is not None and slowed.low is not None and slowed.high is not None
    assert slowed.value == pytest.approx(factor)
    assert slowed.low <= slowed.value * (1 + 1e-9) and slowed.value <= slowed.high * (1 + 1e-9)
