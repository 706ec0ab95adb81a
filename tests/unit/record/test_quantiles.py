"""Quantiles where some requests are unanswered, against sorted lists."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.record.histogram import quantile_bounds

# Ten answers of 10, 20 … 100 ns, one each, and one request still unanswered at the given age: eleven in all.
TEN = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]


@pytest.mark.parametrize(
    ("age", "q", "bounds"),
    [
        # below all answers: rank 6 of 11 is the 5th answer when the age counts first, the 6th when it never ends
        (5, 0.5, (50, 60)),
        # among them (age 45, between 40 and 50): rank 4 lies before it, rank 5 is the age itself or the 5th answer
        (45, 4 / 11, (40, 40)),
        (45, 5 / 11, (45, 50)),
        (45, 0.5, (50, 60)),
        # above all: the ranks of answers do not move, the last rank is the unanswered one
        (500, 0.5, (60, 60)),
        (500, 10 / 11, (100, 100)),
        (500, 0.99, (500, None)),
        (500, 1.0, (500, None)),
        # at exactly an answer's value
        (60, 0.5, (60, 60)),
    ],
)
def test_one_unanswered_among_ten(age: int, q: float, bounds: tuple[int, int | None]) -> None:
    assert quantile_bounds(TEN, [1] * 10, [age], [1], q) == bounds


@pytest.mark.parametrize(
    ("q", "value"),
    [(0.0, 10), (0.001, 10), (0.1, 10), (0.10001, 20), (0.5, 50), (0.51, 60), (0.9, 90), (0.99, 100), (1.0, 100)],
)
def test_the_rank_is_the_ceiling(q: float, value: int) -> None:
    assert quantile_bounds(TEN, [1] * 10, [], [], q) == (value, value)


@pytest.mark.parametrize(("q", "value"), [(0.98, 10), (0.99, 10), (0.991, 20), (0.999, 20), (1.0, 20)])
def test_p99_of_a_hundred_is_the_ninety_ninth(q: float, value: int) -> None:
    assert quantile_bounds([10, 20], [99, 1], [], [], q) == (value, value)


def test_one_answer_is_every_quantile() -> None:
    assert {quantile_bounds([7], [1], [], [], q) for q in (0.0, 0.5, 1.0)} == {(7, 7)}


def test_nothing_has_no_quantile() -> None:
    assert quantile_bounds([], [], [], [], 0.5) is None
    assert quantile_bounds([10], [0], [20], [0], 0.5) is None


def test_a_value_that_never_occurred_is_no_quantile() -> None:
    assert quantile_bounds([10, 20], [0, 1], [], [], 0.0) == (20, 20)


def test_only_unanswered_requests_give_a_lower_bound_alone() -> None:
    assert quantile_bounds([], [], [3, 9], [1, 1], 0.5) == (3, None)
    assert quantile_bounds([], [], [3, 9], [1, 1], 1.0) == (9, None)


HISTOGRAM = st.dictionaries(st.integers(1, 10**6), st.integers(1, 50), max_size=20)


@given(HISTOGRAM, HISTOGRAM, st.floats(min_value=0, max_value=1))
def test_bounds_agree_with_a_sorted_list(answers: dict[int, int], unanswered: dict[int, int], q: float) -> None:
    """The definition itself: every unanswered request at its age, and every one of them endless."""
    values, ages = sorted(answers), sorted(unanswered)
    found = quantile_bounds(values, [answers[v] for v in values], ages, [unanswered[a] for a in ages], q)
    repeated = [value for value, count in [*answers.items(), *unanswered.items()] for _ in range(count)]
    at_their_age = sorted(repeated)
    if not at_their_age:
        assert found is None
        return
    place = max(1, math.ceil(q * len(at_their_age))) - 1
    endless = sorted([float(v) for v in answers for _ in range(answers[v])]) + [math.inf] * sum(unanswered.values())
    assert found == (at_their_age[place], None if endless[place] == math.inf else endless[place])
