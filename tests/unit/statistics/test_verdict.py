"""Verdicts against intervals worked by hand, and what must hold when the two arms change places."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.statistics.intervals import Interval
from hopcost.statistics.verdict import Better, Size, is_beyond, judge_interval

ENDS = st.tuples(st.floats(min_value=0.2, max_value=5), st.floats(min_value=0.2, max_value=5))
MIRRORED = {"faster": "slower", "slower": "faster", "same": "same", "not settled": "not settled"}


def interval(low: float, high: float) -> Interval:
    return Interval(value=math.sqrt(low * high), low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1.03, 1.05, "faster"),
        (1.001, 1.05, "faster, size open"),
        (1.001, 1.019, "faster, negligible"),
        (1.0, 1.019, "same"),  # an end at 1 does not exclude it
        (0.985, 1.015, "same"),
        (0.97, 1.001, "not settled"),
        (0.5, 2.0, "not settled"),
        (0.985, 0.999, "slower, negligible"),
        (0.90, 0.999, "slower, size open"),
        (0.90, 0.92, "slower"),
    ],
)
def test_direction_comes_first_and_its_size_against_the_margin(low: float, high: float, words: str) -> None:
    assert str(judge_interval(interval(low, high), 0.02, Better.HIGHER)) == words


def test_same_is_decided_by_the_interval_of_twice_the_error() -> None:
    printed, narrower = interval(0.975, 1.025), interval(0.985, 1.015)
    assert judge_interval(printed, 0.02, Better.HIGHER).word == "not settled"
    assert judge_interval(printed, 0.02, Better.HIGHER, narrower=narrower).word == "same"
    apart = interval(0.98, 0.999)
    assert judge_interval(apart, 0.1, Better.HIGHER, narrower=narrower).word == "slower", "a direction is said first"


def test_more_time_is_slower_and_more_cpu_is_dearer() -> None:
    assert judge_interval(interval(1.1, 1.2), 0.02, Better.SHORTER).word == "slower"
    assert judge_interval(interval(0.8, 0.9), 0.02, Better.SHORTER).word == "faster"
    assert judge_interval(interval(1.1, 1.2), 0.02, Better.CHEAPER).word == "dearer"
    assert judge_interval(interval(0.8, 0.9), 0.02, Better.CHEAPER).word == "cheaper"
    assert [better.good for better in Better] == ["faster", "faster", "cheaper"]
    assert [better.bad for better in Better] == ["slower", "slower", "dearer"]


@given(ENDS, st.floats(min_value=0.001, max_value=0.5))
def test_the_arms_may_change_places(ends: tuple[float, float], margin: float) -> None:
    low, high = sorted(ends)
    there, back = interval(low, high), interval(1 / high, 1 / low)
    verdict, other = judge_interval(there, margin, Better.HIGHER), judge_interval(back, margin, Better.HIGHER)
    # 1 ÷ (1 ÷ x) is not quite x: an end that lies on a bound to the last digit may fall on either side.
    bounds = (1.0, 1 + margin, 1 / (1 + margin))
    if all(abs(end - bound) > 1e-9 for end in ends for bound in bounds):
        assert MIRRORED[verdict.word] == other.word
        assert verdict.size == other.size


@given(ENDS, st.floats(min_value=0.001, max_value=0.5))
def test_what_includes_one_has_no_direction(ends: tuple[float, float], margin: float) -> None:
    low, high = sorted(ends)
    verdict = judge_interval(interval(low, high), margin, Better.HIGHER)
    assert verdict.is_direction == (verdict.word in ("faster", "slower")) == (low > 1 or high < 1)


@pytest.mark.parametrize("unknown", [None, Interval(value=1.5, low=None, high=None)])
def test_without_an_interval_there_is_no_verdict(unknown: Interval | None) -> None:
    assert judge_interval(unknown, 0.02, Better.HIGHER).word == "no verdict"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1.5, 1.6, "faster"),
        (1.005, 1.015, "faster, size open"),  # at least so much faster: it may be more than the margin
        (1.001, 1.05, "faster, size open"),
        (0.5, 0.6, "no verdict"),
        (0.99, 1.01, "no verdict"),
        (0.9, 1.1, "no verdict"),
    ],
)
def test_a_bound_leaves_the_one_direction_that_it_cannot_turn_round(low: float, high: float, words: str) -> None:
    assert str(judge_interval(interval(low, high), 0.02, Better.HIGHER, only="faster")) == words


def test_a_size_that_is_open_is_neither_beyond_the_margin_nor_inside_it() -> None:
    assert judge_interval(interval(1.001, 1.05), 0.02, Better.HIGHER).size is Size.OPEN
    assert judge_interval(interval(1.001, 1.05), 0.05, Better.HIGHER).negligible
    assert judge_interval(interval(1.001, 1.05), 0.0005, Better.HIGHER).size is Size.BEYOND


def test_an_interval_is_beyond_the_margin_on_either_side() -> None:
    assert is_beyond(interval(1.0494, 1.0532), 0.02)
    assert is_beyond(interval(1 / 1.0532, 1 / 1.0494), 0.02)
    assert not is_beyond(interval(0.95, 1.15), 0.02)
    assert not is_beyond(interval(1.008, 1.012), 0.02)
    assert not is_beyond(Interval(value=1.1, low=None, high=None), 0.02)
    assert not is_beyond(None, 0.02)
