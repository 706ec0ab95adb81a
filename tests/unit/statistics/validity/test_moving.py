"""A trend over starts: against tables worked by hand, and against scipy where that is exact."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from hopcost.statistics.validity.moving import has_moved, kendall


def test_three_values_by_hand() -> None:
    # Six orders: one with no pair in the wrong order, two with one, two with two, one with three.
    assert [kendall(order) for order in ([1, 2, 3], [1, 3, 2], [2, 3, 1], [3, 2, 1])] == [
        pytest.approx(2 / 6), 1.0, 1.0, pytest.approx(2 / 6),
    ]  # fmt: skip


@pytest.mark.parametrize("count", [2, 4, 6, 7])
def test_every_order_is_counted(count: int) -> None:
    """Under no trend, p is at most x in a share of at most x of all orders; and the most ordered two are 2 ÷ n!."""
    probabilities = sorted(kendall(order) for order in itertools.permutations(range(count)))
    for number, probability in enumerate(probabilities, start=1):
        if number == len(probabilities) or probabilities[number] > probability:
            assert min(1.0, number / len(probabilities)) <= probability + 1e-12
    assert probabilities[0] == pytest.approx(2 / len(probabilities))


@pytest.mark.parametrize("count", [6, 12, 33])
def test_it_is_scipys_exact_one(count: int) -> None:
    dice = random.Random(count)
    for _ in range(20):
        values = [dice.gauss(0.1 * number, 1) for number in range(count)]
        assert kendall(values) == pytest.approx(kendalltau(range(count), values, method="exact").pvalue, rel=1e-9)


def test_many_starts_are_no_problem() -> None:
    assert kendall(range(400)) == pytest.approx(0.0, abs=1e-9)
    assert kendall([number % 7 for number in range(400)]) > 0.02


VALUES = st.lists(st.integers(-5, 5), min_size=2, max_size=12)


@given(VALUES)
def test_up_or_down_is_alike_and_equal_values_never_make_a_trend_clearer(values: list[int]) -> None:
    assert kendall(values) == kendall([-value for value in values]) == kendall(values[::-1])
    broken = [value + number / 100 for number, value in enumerate(values)]  # equal ones now rise
    assert kendall(values) <= 1.0
    rising = sum(second > first for first, second in itertools.combinations(values, 2))
    if rising >= len(values) * (len(values) - 1) / 4:
        assert kendall(broken) <= kendall(values) + 1e-12


def test_fewer_than_six_starts_tell_nothing() -> None:
    assert not has_moved(range(5)), "though P is 0.017"
    assert has_moved(range(6)) and has_moved(range(6, 0, -1))
    assert not has_moved([1.0] * 12)


def test_the_arm_that_made_us_look() -> None:
    """An arm whose six starts were off by these shares: 14 of 15 pairs rise, which happens by chance in 1 of 60."""
    off = [-0.073, -0.093, -0.019, 0.020, 0.037, 0.073]
    assert kendall(off) == pytest.approx(2 * (1 + 5) / 720)
    assert has_moved(off)
