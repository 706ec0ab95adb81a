"""Verdicts against intervals worked by hand, and what must hold when the two arms change places."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.plan.method import METHOD
from hopcost.statistics.intervals import Interval
from hopcost.statistics.verdict import Better, is_biased, is_settled, judge_interval, margin

ENDS = st.tuples(st.floats(min_value=0.2, max_value=5), st.floats(min_value=0.2, max_value=5))
MIRRORED = {"faster": "slower", "slower": "faster", "same": "same", "unknown": "unknown"}


def interval(low: float, high: float) -> Interval:
    return Interval(value=math.sqrt(low * high), low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "word", "negligible"),
    [
        (1.03, 1.05, "faster", False),
        (1.001, 1.05, "faster", False),
        (1.001, 1.019, "faster", True),
        (1.0, 1.019, "same", False),  # an end at 1 does not exclude it
        (0.985, 1.015, "same", False),
        (0.97, 1.001, "unknown", False),
        (0.5, 2.0, "unknown", False),
        (0.985, 0.999, "slower", True),
        (0.90, 0.999, "slower", False),
        (0.90, 0.92, "slower", False),
    ],
)
def test_the_verdict_is_read_off_the_interval(low: float, high: float, word: str, negligible: bool) -> None:
    found = judge_interval(interval(low, high), 0.02, Better.HIGHER)
    assert (found.word, found.negligible) == (word, negligible)


def test_more_time_is_slower_and_more_cpu_is_dearer() -> None:
    assert judge_interval(interval(1.1, 1.2), 0.02, Better.SHORTER).word == "slower"
    assert judge_interval(interval(0.8, 0.9), 0.02, Better.SHORTER).word == "faster"
    assert judge_interval(interval(1.1, 1.2), 0.02, Better.CHEAPER).word == "dearer"
    assert judge_interval(interval(0.8, 0.9), 0.02, Better.CHEAPER).word == "cheaper"


@given(ENDS, st.floats(min_value=0.001, max_value=0.5))
def test_the_arms_may_change_places(ends: tuple[float, float], within: float) -> None:
    low, high = sorted(ends)
    there, back = interval(low, high), interval(1 / high, 1 / low)
    one, other = judge_interval(there, within, Better.HIGHER), judge_interval(back, within, Better.HIGHER)
    # 1 ÷ (1 ÷ x) is not quite x: an end that lies on a bound to the last digit may fall on either side.
    bounds = (1.0, 1 + within, 1 / (1 + within))
    if all(abs(end - bound) > 1e-9 for end in ends for bound in bounds):
        assert MIRRORED[one.word] == other.word
        assert one.negligible == other.negligible


@given(ENDS, st.floats(min_value=0.001, max_value=0.5))
def test_what_includes_one_has_no_direction(ends: tuple[float, float], within: float) -> None:
    low, high = sorted(ends)
    word = judge_interval(interval(low, high), within, Better.HIGHER).word
    assert (word in ("faster", "slower")) == (low > 1 or high < 1)


@pytest.mark.parametrize("unknown", [None, Interval(value=1.0, low=None, high=None)])
def test_without_an_interval_or_a_margin_the_verdict_is_unknown(unknown: Interval | None) -> None:
    assert judge_interval(unknown, 0.02, Better.HIGHER).word == "unknown"
    assert judge_interval(interval(1.5, 1.6), None, Better.HIGHER).word == "unknown"
    assert margin(unknown) is None


def test_the_margin_is_what_the_machine_makes_out_of_no_difference_where_that_is_more() -> None:
    assert margin(interval(0.999, 1.001)) == METHOD.min_margin
    assert margin(interval(0.97, 1.05)) == pytest.approx(0.05)
    assert margin(interval(0.8, 1.05)) == pytest.approx(0.25)  # 1 ÷ 0.8 = 1.25
    assert margin(interval(0.97, 1.05), least=0.1) == 0.1


def test_the_baselines_second_run_beyond_the_margin_is_the_instruments_fault() -> None:
    assert is_biased(interval(1.0494, 1.0532)) is True
    assert is_biased(interval(1 / 1.0532, 1 / 1.0494)) is True
    assert is_biased(interval(0.95, 1.15)) is False  # 1 lies inside
    assert is_biased(interval(1.008, 1.012)) is False  # a real difference of 1 % is none beyond 2 %
    assert is_biased(None) is None
    assert is_biased(Interval(value=1.1, low=None, high=None)) is None


@pytest.mark.parametrize(
    ("low", "high", "settled"),
    [
        (0.995, 1.005, True),  # narrow
        (0.50, 0.52, True),  # neither narrow nor same, but no longer run would change the word
        (0.985, 1.015, True),  # wholly inside the margin
        (1.05, 1.20, True),
        (0.97, 1.01, False),  # the margin's lower end, 1 ÷ 1.02, is inside
        (1.01, 1.04, False),
    ],
)
def test_more_blocks_are_wanted_while_an_end_of_the_margin_is_inside_a_wide_interval(
    low: float, high: float, settled: bool
) -> None:
    assert is_settled(interval(low, high), 0.02, 0.01) is settled


def test_without_an_interval_or_a_margin_nothing_is_settled_but_by_width() -> None:
    assert not is_settled(None, 0.02, 0.01)
    assert not is_settled(Interval(value=0.5, low=None, high=None), 0.02, 0.01)
    assert not is_settled(interval(0.5, 0.6), None, 0.01)
    assert is_settled(interval(0.995, 1.005), None, 0.01)
