"""Bars as cells: what stands where."""

from __future__ import annotations

from hopcost.report.document import Bar, BarRow, Bars
from hopcost.report.formats.html.bars import Cell, Column, DrawnBar, draw_bars

HEADER = ["", "req/s", "of go", "", "CPU at full load", "", ""]


def nginx(mark: str) -> BarRow:
    bar = Bar(low=0.51, high=0.54, most=1.0)
    return BarRow("nginx", ["38,798"], bar, ["52 %", "(51–54)", "+9 µs", "(8–10)", mark])


def test_a_figure_shares_its_cell_and_its_name_with_its_range() -> None:
    drawn = draw_bars(Bars(HEADER, [nginx("?")]))
    assert drawn.before == ["req/s"]
    assert drawn.after == [Column("of go", 7), Column("CPU at full load", 6)]
    (row,) = drawn.rows
    assert row.before == ["38,798"]
    assert row.after == [Cell("52 %", "(51–54)"), Cell("+9 µs", "(8–10)")]
    assert row.mark == "?" and drawn.has_marks


def test_marks_and_bars_that_no_row_has_take_no_column() -> None:
    assert not draw_bars(Bars(HEADER, [nginx("")])).has_marks
    drawn = draw_bars(Bars(["", "published", "measured"], [BarRow("go", [], None, ["74 µs", "80 µs"])]))
    assert not drawn.has_bars
    assert drawn.after == [Column("published", 0), Column("measured", 0)]


def test_a_bar_is_in_per_cent_of_the_longest_and_never_longer() -> None:
    rows = [
        BarRow("express", [], Bar(low=1.0, high=1.0, most=2.0)),
        BarRow("pm2", [], Bar(low=1.5, high=9.0, most=2.0)),
        BarRow("nothing", [], Bar(low=0.0, high=0.0, most=0.0)),
    ]
    drawn = draw_bars(Bars([""], rows))
    assert [row.bar for row in drawn.rows] == [DrawnBar(50, 50), DrawnBar(75, 100), None]
