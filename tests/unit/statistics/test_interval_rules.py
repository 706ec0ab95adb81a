"""What holds of every interval, whatever the figures: order, sides, scale, confidence."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known import known

from hopcost.statistics.intervals import ONE, ratio

FIGURES = st.floats(min_value=0.5, max_value=2_000_000)
PAIRS = st.lists(st.tuples(FIGURES, FIGURES), min_size=2, max_size=24)


def split(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [arm for arm, _ in pairs], [baseline for _, baseline in pairs]


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_blocks_does_not_matter(pairs: list[tuple[float, float]], shuffler: random.Random) -> None:
    shuffled = pairs.copy()
    shuffler.shuffle(shuffled)
    given_order, other_order = ratio(*split(pairs)), ratio(*split(shuffled))
    assert given_order is not None and other_order is not None
    assert other_order.value == pytest.approx(given_order.value, rel=1e-9)
    assert other_order.low == pytest.approx(given_order.low, rel=1e-6)
    assert other_order.high == pytest.approx(given_order.high, rel=1e-6)


@given(st.lists(FIGURES, min_size=2, max_size=24))
def test_an_arm_against_itself_is_one(figures: list[float]) -> None:
    interval = ratio(figures, figures)
    assert interval == ONE


@given(PAIRS)
def test_swapping_the_sides_inverts_the_ratio(pairs: list[tuple[float, float]]) -> None:
    arm, baseline = split(pairs)
    there, back = ratio(arm, baseline), ratio(baseline, arm)
    assert there is not None and back is not None
    assert back.value == pytest.approx(1 / there.value, rel=1e-9)
    assert known(back.low) == pytest.approx(1 / known(there.high), rel=1e-6)
    assert known(back.high) == pytest.approx(1 / known(there.low), rel=1e-6)


@given(PAIRS, st.floats(min_value=0.001, max_value=1000))
def test_scaling_both_sides_changes_nothing(pairs: list[tuple[float, float]], factor: float) -> None:
    arm, baseline = split(pairs)
    plain, scaled = ratio(arm, baseline), ratio([factor * a for a in arm], [factor * b for b in baseline])
    assert plain is not None and scaled is not None
    assert scaled.value == pytest.approx(plain.value, rel=1e-9)
    assert scaled.low == pytest.approx(plain.low, rel=1e-6)
    assert scaled.high == pytest.approx(plain.high, rel=1e-6)


@given(PAIRS)
def test_the_interval_holds_the_value(pairs: list[tuple[float, float]]) -> None:
    interval = known(ratio(*split(pairs)))
    assert known(interval.low) <= interval.value * (1 + 1e-12)
    assert known(interval.high) >= interval.value * (1 - 1e-12)


@given(PAIRS, st.floats(min_value=0.01, max_value=0.5), st.floats(min_value=0.01, max_value=0.5))
def test_more_confidence_is_never_narrower(pairs: list[tuple[float, float]], error: float, other: float) -> None:
    wide, narrow = ratio(*split(pairs), min(error, other)), ratio(*split(pairs), max(error, other))
    assert wide is not None and narrow is not None
    assert known(wide.low) <= known(narrow.low) and known(narrow.high) <= known(wide.high)
    assert wide.value == narrow.value
