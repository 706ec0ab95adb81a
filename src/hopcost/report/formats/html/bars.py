"""Rows of bars as cells of an HTML table: a figure and its range share a cell, marks have the last column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hopcost.report.document import Bar, Bars


class Column(NamedTuple):
    """A column of figures; `range_length` is that of its longest range, in characters."""

    name: str
    range_length: int


class Cell(NamedTuple):
    """A figure and its range, which may be empty."""

    figure: str
    range: str


class DrawnBar(NamedTuple):
    """The ends of a bar in per cent of the width."""

    low: float
    high: float


@dataclass(frozen=True)
class DrawnRow:
    """A row of the table."""

    label: str
    before: list[str]
    bar: DrawnBar | None
    after: list[Cell]
    mark: str


@dataclass(frozen=True)
class DrawnBars:
    """All of the table; a column for bars or marks is there only if one row has some."""

    label: str
    before: list[str]
    after: list[Column]
    rows: list[DrawnRow]

    @property
    def has_bars(self) -> bool:
        """Whether any row has one."""
        return any(row.bar is not None for row in self.rows)

    @property
    def has_marks(self) -> bool:
        """Whether any row has one."""
        return any(row.mark for row in self.rows)


def draw_bars(bars: Bars) -> DrawnBars:
    """The table of these bars. After a name the first column without one is its range, a second one its mark."""
    label, *names = bars.headings
    split = len(bars.rows[0].before)
    before, after = names[:split], names[split:]
    rows = []
    for row in bars.rows:
        cells, mark = _pair(row.after, after)
        rows.append(DrawnRow(row.label, row.before, _draw_bar(row.bar), cells, mark))
    ranges = [max(len(row.after[number].range) for row in rows) for number in range(len(rows[0].after))]
    columns = [Column(*column) for column in zip(filter(None, after), ranges, strict=True)]
    return DrawnBars(label, before, columns, rows)


def _pair(texts: list[str], names: list[str]) -> tuple[list[Cell], str]:
    """The cells of a row, and its mark."""
    cells: list[Cell] = []
    mark, has_range = "", True
    for text, name in zip(texts, names, strict=True):
        if name:
            cells.append(Cell(text, ""))
        elif not has_range:
            cells[-1] = Cell(cells[-1].figure, text)
        else:
            mark = text
        has_range = not name
    return cells, mark


def _draw_bar(bar: Bar | None) -> DrawnBar | None:
    if bar is None or bar.most <= 0:
        return None
    low, high = (round(100 * min(max(end / bar.most, 0.0), 1.0), 2) for end in (bar.low, bar.high))
    return DrawnBar(low, max(low, high))
