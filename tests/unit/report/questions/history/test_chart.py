"""The chart: a sign for each record where it belongs, a line for each stretch, a mark below each change."""

from __future__ import annotations

import pytest
from samples.questions.histories import calm, kept, series, slower

from hopcost.report.formats.text.wrapping import to_ascii
from hopcost.report.questions.history.answer import trend_of
from hopcost.report.questions.history.chart import CHANGE, LEVEL, RECORD, ROWS, chart_of


def test_the_highest_record_is_in_the_first_row_and_the_lowest_in_the_last() -> None:
    lines = chart_of(trend_of(slower())).splitlines()
    assert len(lines) == ROWS + 2
    assert RECORD in lines[0] and RECORD in lines[ROWS - 1]
    assert sum(line.count(RECORD) for line in lines) == 17
    assert "46.6 %" in lines[0] and "41.9 %" in lines[ROWS - 1]


def test_a_mark_stands_below_the_first_record_of_a_change() -> None:
    lines = chart_of(trend_of(slower())).splitlines()
    column = lines[ROWS].index(CHANGE)
    assert lines[ROWS].count(CHANGE) == 1
    assert [line for line in lines[: ROWS // 2] if line[column : column + 1] == RECORD] == []
    assert any(line[column : column + 1] == RECORD for line in lines[ROWS // 2 : ROWS])
    assert CHANGE not in chart_of(trend_of(calm()))


def test_days_stand_below_the_ends() -> None:
    *_, axis, days = chart_of(trend_of(calm())).splitlines()
    assert days.split() == ["2026-09-01", "2026-09-12"]
    assert len(days) == len(axis)


@pytest.mark.parametrize("records", [1, 2, 17, 66, 67, 1000])
def test_any_number_of_records_fits(records: int) -> None:
    ratios = [0.5 + 0.01 * (day % 2) for day in range(records)]
    lines = chart_of(trend_of(series([kept(day) for day in range(records)], ratios))).splitlines()
    assert max(map(len, lines)) <= 77
    assert any(RECORD in line for line in lines) and any(LEVEL in line for line in lines[:ROWS]) is (records > 1)


def test_records_that_are_all_alike_are_one_level_line() -> None:
    lines = chart_of(trend_of(series([kept(day) for day in range(9)], [0.5] * 9))).splitlines()
    assert [number for number, line in enumerate(lines) if RECORD in line] == [ROWS // 2]


def test_in_ascii_every_sign_has_its_own_letter() -> None:
    chart = chart_of(trend_of(slower()))
    plain = to_ascii(chart)
    assert plain.isascii() and "\\" not in plain
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in chart.splitlines()]
    assert plain.count("*") == 17 and plain.count("^") == 1
