"""The picture of a history: where its shapes stand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.page.chart import BOTTOM, TOP, Level, Mark, Step, draw, ticks

LOGS = st.floats(-700, 700)


def mark(value: float, low: float | None = None, high: float | None = None, day: str = "2026-01-01") -> Mark:
    return Mark(value, low, high, link="/records/aa", title="a record", day=day)


def test_records_stand_side_by_side_and_higher_ratios_higher() -> None:
    chart = draw([mark(0.0), mark(0.1), mark(0.2), mark(0.1)], [], [])
    assert [point.x for point in chart.points] == [12.5, 37.5, 62.5, 87.5]
    first, second, third, fourth = (point.y for point in chart.points)
    assert TOP < third < second < first < BOTTOM
    assert second == fourth
    assert first - second == pytest.approx(second - third, abs=0.2), "the axis is one of logarithms"


def test_a_range_reaches_to_its_ends_and_none_is_a_point() -> None:
    chart = draw([mark(0.0, -0.02, 0.03), mark(0.1)], [], [])
    known, unknown = chart.points
    assert known.top < known.y < known.bottom
    assert unknown.top == unknown.y == unknown.bottom


def test_one_wide_range_does_not_flatten_the_history() -> None:
    narrow = draw([mark(0.0), mark(0.1)], [], [])
    wide = draw([mark(0.0, -5.0, 5.0), mark(0.1)], [], [])
    heights = [abs(chart.points[0].y - chart.points[1].y) for chart in (narrow, wide)]
    assert heights[1] > heights[0] / 4
    assert wide.points[0].bottom == BOTTOM


def test_a_level_covers_its_records_and_no_more_than_is_shown() -> None:
    marks = [mark(0.0)] * 4
    levels = [
        Level(-3, 1, 0.0, -0.01, 0.01),
        Level(1, 9, 0.02, 0.01, 0.03),
        Level(4, 9, 0, 0, 0),
        Level(-9, 0, 0, 0, 0),
    ]
    first, second = draw(marks, levels, []).bands
    assert (first.x, first.width) == (0, 25)
    assert (second.x, second.width) == (25, 75)
    assert second.top < second.y < second.top + second.height


def test_a_change_stands_between_its_records_and_words_stay_inside() -> None:
    chart = draw([mark(0.0)] * 10, [], [Step(2, "a"), Step(3, "b"), Step(9, "c"), Step(0, "before"), Step(10, "after")])
    assert [(word.x, word.words, word.anchor) for word in chart.changes] == [
        (20, "a", "start"),
        (30, "b", "start"),
        (90, "c", "end"),
    ]
    rows = [word.y for word in chart.changes]
    assert len(set(rows)) == 3 and max(rows) < TOP


def test_the_first_and_the_last_day_are_there() -> None:
    chart = draw([mark(0.0, day=f"day {number}") for number in range(50)], [], [])
    assert [word.words for word in chart.days] == ["day 0", "day 12", "day 24", "day 37", "day 49"]
    assert [word.words for word in draw([mark(0.0, day="only")], [], []).days] == ["only"]


@given(st.lists(st.tuples(LOGS, LOGS, LOGS), min_size=1, max_size=8))
def test_whatever_a_database_says_the_picture_is_finite_and_inside(points: list[tuple[float, float, float]]) -> None:
    marks = [mark(*point) for point in points]
    levels = [Level(0, len(marks), *points[0])]
    chart = draw(marks, levels, [])
    for point in chart.points:
        assert 0 <= point.x <= 100
        assert all(TOP <= y <= BOTTOM for y in (point.y, point.top, point.bottom))
    assert len(chart.rows) <= 8
    assert all(math.isfinite(word.y) for word in chart.rows)


@given(st.floats(-3, 3), st.floats(0.02, 6))
def test_ticks_are_few_round_and_inside(low: float, span: float) -> None:
    shown = ticks(low, low + span)
    assert 1 <= len(shown) <= 8
    for ratio, words in shown:
        assert math.exp(low) * (1 - 1e-9) <= ratio <= math.exp(low + span) * (1 + 1e-9)
        assert float(words.removesuffix(" %").replace(",", "")) == pytest.approx(100 * ratio, rel=1e-6)
    assert len({words for _, words in shown}) == len(shown)
