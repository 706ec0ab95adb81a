"""Quantiles if some requests are unanswered, against sorted lists."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.record.histogram import Histogram, merge, quantiles


def holding(counts: dict[int, int]) -> Histogram:
    """A histogram of values below 2048 ns: there each bucket holds one value."""
    histogram = merge([])
    for value, count in counts.items():
        histogram.counts[value] = count
    return histogram


def quantile(answers: dict[int, int], unanswered: dict[int, int], q: float) -> tuple[int, bool] | None:
    (value,) = quantiles(holding(answers), holding(unanswered), [q])
    return value


# Ten answers of 10, 20 … 100 ns, one each.
TEN = dict.fromkeys(range(10, 101, 10), 1)


@pytest.mark.parametrize(
    ("age", "q", "expected"),
    [
        # below all answers: the request may take for ever, so rank 6 of 11 is the sixth answer
        (5, 0.5, (60, True)),
        # among them, between 40 and 50
        (45, 4 / 11, (40, True)),
        (45, 5 / 11, (50, True)),
        (45, 0.5, (60, True)),
        # above all: the ranks of answers stay, the last rank is the unanswered request's
        (500, 0.5, (60, True)),
        (500, 10 / 11, (100, True)),
        (500, 0.99, (500, False)),
        (500, 1.0, (500, False)),
        # below an answer, and the last rank all the same: at least as long as the longest answer
        (5, 1.0, (100, False)),
        # at exactly an answer's value
        (60, 0.5, (60, True)),
    ],
)
def test_one_unanswered_among_ten(age: int, q: float, expected: tuple[int, bool]) -> None:
    assert quantile(TEN, {age: 1}, q) == expected


@pytest.mark.parametrize(
    ("q", "value"),
    [(0.0, 10), (0.001, 10), (0.1, 10), (0.10001, 20), (0.5, 50), (0.51, 60), (0.9, 90), (0.99, 100), (1.0, 100)],
)
def test_the_rank_is_the_ceiling(q: float, value: int) -> None:
    assert quantile(TEN, {}, q) == (value, True)


@pytest.mark.parametrize(("q", "value"), [(0.98, 10), (0.99, 10), (0.991, 20), (0.999, 20), (1.0, 20)])
def test_p99_of_a_hundred_is_the_ninety_ninth(q: float, value: int) -> None:
    assert quantile({10: 99, 20: 1}, {}, q) == (value, True)


def test_one_answer_is_every_quantile() -> None:
    assert {quantile({7: 1}, {}, q) for q in (0.0, 0.5, 1.0)} == {(7, True)}


def test_a_value_that_never_occurred_is_no_quantile() -> None:
    assert quantile({10: 0, 20: 1}, {}, 0.0) == (20, True)


COUNTS = st.dictionaries(st.integers(1, 2047), st.integers(1, 50), max_size=20)


@given(COUNTS, COUNTS, st.floats(min_value=0, max_value=1))
def test_quantiles_agree_with_a_sorted_list(answers: dict[int, int], unanswered: dict[int, int], q: float) -> None:
    """The definition itself: every unanswered request endless; if the rank falls on one of them, at its age."""
    times = sorted(value for value, count in answers.items() for _ in range(count))
    ages = [age for age, count in unanswered.items() for _ in range(count)]
    at_their_age = sorted([*times, *ages])
    if not at_their_age:
        assert quantile(answers, unanswered, q) is None
        return
    place = max(1, math.ceil(q * len(at_their_age))) - 1
    is_exact = place < len(times)
    assert quantile(answers, unanswered, q) == (times[place] if is_exact else at_their_age[place], is_exact)
