"""The difference of two independent estimates: worked by hand, turned round, and its coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.statistics import random_effects
from hopcost.statistics.intervals import Interval, subtract
from hopcost.statistics.random_effects import Contrast, Estimate


def test_each_side_is_the_root_of_the_sum_of_squares() -> None:
    a, b = Interval(value=1.0, low=0.6, high=1.3), Interval(value=3.0, low=2.6, high=3.5)
    difference = subtract(a, b)
    assert difference.value == 2.0
    assert difference.low == pytest.approx(2.0 - 0.5)  # 0.4 below b, 0.3 above a
    assert difference.high == pytest.approx(2.0 + math.hypot(0.5, 0.4))


def test_without_ends_there_is_a_difference_without_ends() -> None:
    known, one_start = Interval(value=1.0, low=0.6, high=1.3), Interval(value=3.0, low=None, high=None)
    assert subtract(known, one_start) == Interval(value=2.0, low=None, high=None)
    assert subtract(one_start, known) == Interval(value=-2.0, low=None, high=None)


SIDES = st.tuples(st.floats(-3, 3), st.floats(0, 2), st.floats(0, 2))


@given(SIDES, SIDES)
def test_the_order_of_records_turns_it_round(one: tuple[float, float, float], two: tuple[float, float, float]) -> None:
    a, b = (Interval(value=value, low=value - below, high=value + above) for value, below, above in (one, two))
    there, back = subtract(a, b), subtract(b, a)
    assert there.low is not None and back.high is not None
    assert there.low == pytest.approx(-back.high)
    assert there.low <= there.value


@pytest.mark.parametrize("starts", [2, 3, 6])
def test_coverage_where_starts_differ_by_3_percent(starts: int) -> None:
    """Four arms in each record, of one true ratio; 80 pairs of records make 320 comparisons."""
    draws = np.random.default_rng(starts)
    inside = 0
    for _ in range(80):
        pairs = zip(_record(draws, starts), _record(draws, starts), strict=True)
        for difference in (subtract(a.interval(0.05), b.interval(0.05)) for a, b in pairs):
            assert difference.low is not None and difference.high is not None
            inside += difference.low <= 0 <= difference.high
    assert inside / 320 >= 0.94


def _record(draws: np.random.Generator, starts: int, arms: int = 4, rounds: int = 2) -> list[Estimate]:
    """Arms whose starts and whose rounds differ by 3 %, beside a baseline that ran twice."""
    baseline = draws.normal(0, 0.03, starts)[:, None] / math.sqrt(2) + draws.normal(0, 0.03, (starts, rounds)) / 2
    contrasts = []
    for _ in range(arms):
        logs = draws.normal(0, 0.03, starts)[:, None] + draws.normal(0, 0.03, (starts, rounds)) - baseline
        degrees = starts * (rounds - 1)
        scatter = float(((logs - logs.mean(1, keepdims=True)) ** 2).sum()) / degrees
        contrasts.append(Contrast(logs.mean(1).tolist(), [rounds] * starts, scatter, degrees))
    return random_effects.estimate(contrasts)
