"""A history as a chart of text: a sign for each record, a line for each stretch, a mark below each change."""

from __future__ import annotations

import math

from hopcost.report.questions.history.answer import Trend
from hopcost.report.questions.history.words import day

COLUMNS, ROWS = 66, 9  # of what is drawn; with labels and indent a line has 79
MOST_APART = 4  # columns from one record to the next
LABEL = 8
RECORD, LEVEL, CHANGE = "●", "─", "▲"
LEGEND = f"{RECORD} a record, {LEVEL} the mean of a stretch, {CHANGE} the first record after a change"
LEAST_RANGE = 1.0  # per cent of the baseline: less would draw noise as mountains


def chart_of(trend: Trend) -> str:
    """Lines of at most 77 columns: the ratio to the baseline in per cent, records from left to right."""
    shares = [100 * point.ratio for point in trend.points]
    levels = [100 * math.exp(stretch.mean) for stretch in trend.segments.stretches]
    low, high = _ends([*shares, *levels])
    columns = _columns(len(shares))
    grid = [[" "] * (columns[-1] + 1) for _ in range(ROWS)]

    def row_of(share: float) -> int:
        return min(ROWS - 1, max(0, round((high - share) / (high - low) * (ROWS - 1))))

    for stretch, level in zip(trend.segments.stretches, levels, strict=True):
        for column in range(columns[stretch.first], columns[stretch.after - 1] + 1):
            grid[row_of(level)][column] = LEVEL
    for share, column in zip(shares, columns, strict=True):
        grid[row_of(share)][column] = RECORD
    marks = {columns[change.index] for change in trend.segments.changes}
    axis = "".join(CHANGE if column in marks else LEVEL for column in range(len(grid[0])))
    drawn = ["".join(cells).rstrip() for cells in grid]
    lines = [f"{label} {cells}".rstrip() for label, cells in zip(_labels(low, high), drawn, strict=True)]
    return "\n".join([*lines, f"{'':>{LABEL}} └{LEVEL}{axis}", _days(trend, len(axis))])


def _ends(shares: list[float]) -> tuple[float, float]:
    low, high = min(shares), max(shares)
    more = max(0.0, LEAST_RANGE - (high - low)) / 2
    return low - more, high + more


def _columns(records: int) -> list[int]:
    """Of each record; several share one if they are many."""
    if records > COLUMNS:
        return [place * COLUMNS // records for place in range(records)]
    apart = min(MOST_APART, COLUMNS // records)
    return [place * apart for place in range(records)]


def _labels(low: float, high: float) -> list[str]:
    """Every other row has its share."""
    step = (high - low) / (ROWS - 1)
    decimals = 0 if step >= 1 else 1 if step >= 0.1 else 2
    return [
        f"{f'{high - row * step:.{decimals}f} %':>{LABEL}} ┤" if row % 2 == 0 else f"{'':>{LABEL}} │"
        for row in range(ROWS)
    ]


def _days(trend: Trend, width: int) -> str:
    """The first and the last day below the ends of the axis; the first alone if both have no room."""
    first, last = day(trend.points[0].record), day(trend.newest)
    room = width - len(first) - len(last)
    return " " * (LABEL + 3) + (f"{first}{' ' * room}{last}" if room > 0 and first != last else first)
