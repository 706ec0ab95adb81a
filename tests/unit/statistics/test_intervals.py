"""Intervals of ratios, means and differences against values worked by hand, and what must hold for any figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known import known

from hopcost.statistics import random_effects
from hopcost.statistics.intervals import ONE, Interval, mean, ratio, subtract
from hopcost.statistics.random_effects import Contrast, Estimate

FIGURES = st.floats(min_value=0.5, max_value=2_000_000)
PAIRS = st.lists(st.tuples(FIGURES, FIGURES), min_size=2, max_size=24)


def split(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [arm for arm, _ in pairs], [baseline for _, baseline in pairs]


def test_three_blocks_by_hand() -> None:
    # Ratios 2, 4, 8: logs ln 2 × (1, 2, 3), mean 2 ln 2 (ratio 4), standard deviation ln 2 = 0.693147.
    # t(2 degrees of freedom, 0.975) = 4.302653 from a table.
    # reach = 4.302653 × 0.693147 ÷ √3 = 1.721873; 4 ÷ e^1.721873 = 0.714924, 4 × e^1.721873 = 22.379993.
    interval = known(ratio([200.0, 1200.0, 4000.0], [100.0, 300.0, 500.0]))
    assert interval.value == pytest.approx(4.0, rel=1e-12)
    assert interval.low == pytest.approx(0.714924, rel=1e-6)
    assert interval.high == pytest.approx(22.379993, rel=1e-6)


def test_two_blocks_by_hand() -> None:
    # Ratios 1/2 and 1/8: logs −ln 2, −3 ln 2; mean −2 ln 2 (ratio 1/4), standard deviation √2 ln 2.
    # t(1, 0.975) = 12.706205; reach = 12.706205 × √2 × 0.693147 ÷ √2 = 8.807270; e^8.807270 = 6682.65.
    interval = known(ratio([50.0, 50.0], [100.0, 400.0]))
    assert interval.value == pytest.approx(0.25, rel=1e-12)
    assert interval.low == pytest.approx(0.25 / 6682.65, rel=1e-5)
    assert interval.high == pytest.approx(0.25 * 6682.65, rel=1e-5)


def test_two_blocks_of_which_nothing_is_known_have_an_interval_all_the_same() -> None:
    # Logs 0 and 0.8: t(1, 1 - 0.005 ÷ 30) = 1909.86, reach 764; e^764 is beyond all numbers.
    interval = ratio([1.0, math.exp(0.8)], [1.0, 1.0], 0.01 / 30)
    assert interval is not None and interval.low is not None and interval.high is not None
    assert 0 < interval.low < 1e-300 and 1e300 < interval.high < math.inf


def test_six_blocks_with_the_error_of_one_of_four_looks_by_hand() -> None:
    # Ratios e^±0.01, three of each: mean 0 (ratio 1); sum of squares 6 × 0.0001, variance 0.0006 ÷ 5 = 0.00012,
    # standard deviation 0.0109545. Error 0.05 ÷ 4 = 0.0125: t(5, 0.99375) = 3.810005 from a table.
    # reach = 3.810005 × 0.0109545 ÷ √6 = 0.0170386; e^±0.0170386 = 1.017185 and 0.983106.
    arm = [math.exp(0.01)] * 3 + [math.exp(-0.01)] * 3
    interval = known(ratio(arm, [1.0] * 6, 0.05 / 4))
    assert interval.value == pytest.approx(1.0, abs=1e-12)
    assert interval.low == pytest.approx(0.983106, rel=1e-6)
    assert interval.high == pytest.approx(1.017185, rel=1e-6)
    assert interval.half_width == pytest.approx((1.017185 - 0.983106) / 2, rel=1e-4)


def test_blocks_of_unlike_length_by_hand() -> None:
    # Logs ln 2 × (1, 2, 3) with weights 1, 1, 2: mean 2.25 ln 2 (ratio 4.756828).
    # Squares by weight: 1.5625 + 0.0625 + 2 × 0.5625 = 2.75 (ln 2)²; ÷ (4 × 2) = 0.34375; root 0.586302 ln 2.
    # reach = 4.302653 × 0.586302 × 0.693147 = 1.748570.
    arm, baseline = [200.0, 1200.0, 4000.0], [100.0, 300.0, 500.0]
    interval = ratio(arm, baseline, weights=[1, 1, 2])
    assert interval is not None and interval.low is not None and interval.high is not None
    assert interval.value == pytest.approx(4.756828, rel=1e-6)
    assert math.log(interval.high / interval.value) == pytest.approx(1.748570, rel=1e-5)
    assert math.log(interval.value / interval.low) == pytest.approx(1.748570, rel=1e-5)
    assert ratio(arm, baseline, weights=[7, 7, 7]) == ratio(arm, baseline), "alike is as without"
    assert mean([5.0], weights=[3]) == Interval(value=5.0, low=None, high=None)


def test_weights_keep_their_promise() -> None:
    """Of 2,000 means of blocks whose variances are the inverse of their rounds, 5 % miss; unweighted ones are wider."""
    dice = np.random.default_rng(1)
    rounds = np.array([2, 2, 8, 8, 9, 9, 3])
    missed, weighted, plain = 0, 0.0, 0.0
    for _ in range(2000):
        values = dice.normal(0.0, 1 / np.sqrt(rounds)).tolist()
        interval, without = known(mean(values, weights=rounds.tolist())), known(mean(values))
        assert interval.low is not None and interval.high is not None
        missed += not interval.low <= 0 <= interval.high
        weighted += interval.high - interval.low
        plain += known(without.high) - known(without.low)
    assert 70 <= missed <= 130
    assert weighted < 0.9 * plain


def test_the_half_width_is_relative_to_the_value() -> None:
    assert Interval(value=0.5, low=0.4, high=0.7).half_width == pytest.approx(0.3)
    assert ONE.half_width == 0.0


@pytest.mark.parametrize(("low", "high"), [(None, 2.0), (0.5, None), (None, None)])
def test_an_interval_with_an_open_end_has_no_width(low: float | None, high: float | None) -> None:
    assert Interval(value=1.0, low=low, high=high).half_width is None


def test_a_single_block_has_a_value_and_no_interval() -> None:
    interval = known(ratio([30.0], [40.0]))
    assert interval.value == pytest.approx(0.75, rel=1e-12)
    assert (interval.low, interval.high, interval.half_width) == (None, None, None)


@pytest.mark.parametrize(
    ("arm", "baseline"),
    [
        ([], []),
        ([0.0], [1.0]),
        ([1.0], [0.0]),
        ([1.0, 2.0, 0.0], [1.0, 2.0, 3.0]),
        ([1.0, -2.0], [1.0, 2.0]),
        ([1.0, 2.0], [1.0, -2.0]),
        ([1.0, math.nan], [1.0, 2.0]),
    ],
)
def test_without_positive_figures_there_is_no_ratio(arm: list[float], baseline: list[float]) -> None:
    assert ratio(arm, baseline) is None


def test_blocks_that_differ_in_number_are_a_bug() -> None:
    with pytest.raises(ValueError):
        ratio([1.0, 2.0], [1.0])


def test_permuting_blocks_gives_the_same_interval() -> None:
    pairs = [(51.0, 100.0), (48.0, 99.0), (50.5, 103.0), (49.0, 97.0)]
    rotated, interval = ratio(*split(pairs[2:] + pairs[:2])), ratio(*split(pairs))
    assert interval is not None and rotated is not None
    assert (rotated.value, rotated.low, rotated.high) == pytest.approx(
        (interval.value, interval.low, interval.high), rel=1e-12
    )


def test_the_pairs_are_what_counts() -> None:
    """Both arms drift together by a factor of three: paired by block, that is no spread at all."""
    paired = ratio([10.0, 20.0, 30.0], [20.0, 40.0, 60.0])
    crossed = ratio([10.0, 20.0, 30.0], [60.0, 20.0, 40.0])
    assert paired is not None and crossed is not None
    assert paired.half_width == pytest.approx(0.0, abs=1e-12)
    assert crossed.half_width is not None and crossed.half_width > 1


def test_more_confidence_is_wider_where_there_is_spread() -> None:
    wide, narrow = ratio([1.0, 2.0, 4.0], [1.0] * 3, 0.01), ratio([1.0, 2.0, 4.0], [1.0] * 3, 0.05)
    assert wide is not None and narrow is not None
    assert known(wide.half_width) > 2 * known(narrow.half_width)


# The difference of two independent estimates


def test_each_side_is_the_root_of_the_sum_of_squares() -> None:
    a, b = Interval(value=1.0, low=0.6, high=1.3), Interval(value=3.0, low=2.6, high=3.5)
    difference = subtract(a, b)
    assert difference.value == 2.0
    assert difference.low == pytest.approx(2.0 - 0.5)  # 0.4 below b, 0.3 above a
    assert difference.high == pytest.approx(2.0 + math.hypot(0.5, 0.4))


def test_without_ends_there_is_a_difference_without_ends() -> None:
    two_starts, one_start = Interval(value=1.0, low=0.6, high=1.3), Interval(value=3.0, low=None, high=None)
    assert subtract(two_starts, one_start) == Interval(value=2.0, low=None, high=None)
    assert subtract(one_start, two_starts) == Interval(value=-2.0, low=None, high=None)


SIDES = st.tuples(st.floats(-3, 3), st.floats(0, 2), st.floats(0, 2))


@given(SIDES, SIDES)
def test_the_order_of_records_turns_it_round(
    first: tuple[float, float, float], two: tuple[float, float, float]
) -> None:
    a, b = (Interval(value=value, low=value - below, high=value + above) for value, below, above in (first, two))
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
