"""Bars on a terminal: how one is drawn with its range, and what room the columns beside bars leave them.

A bar is solid up to the low end, shaded from there to the high end, so that uncertainty is seen.
"""

from __future__ import annotations

from hopcost.report.document import Bar, Bars

SOLID, SHADED = "█", "▒"
EIGHTHS = " ▏▎▍▌▋▊▉"
ASCII_SOLID, ASCII_SHADED = "=", "-"
GAP, CLOSE = "  ", " "  # between columns; before a column that belongs to the one on its left
LEAST_CELLS = 6  # of a bar: fewer show nothing
OVER_BAR = LEAST_CELLS + len(GAP)


def draw(bar: Bar, width: int, ascii: bool = False) -> str:
    """The bar in at most `width` cells, without spaces at its end; `bar.most` fills them all.

    A range that is narrower than the cells can show becomes a solid bar up to its middle, in eighths of a cell.

    >>> draw(Bar(low=1.0, high=1.0, most=1.0), 15)
    '███████████████'
    >>> draw(Bar(low=0.55, high=0.81, most=1.0), 15)
    '████████▒▒▒▒'
    >>> draw(Bar(low=0.21, high=0.22, most=1.0), 15)
    '███▎'
    >>> draw(Bar(low=0.55, high=0.81, most=1.0), 15, ascii=True)
    '========----'
    """
    low, high = (min(max(end / bar.most, 0.0), 1.0) * width if bar.most > 0 else 0.0 for end in (bar.low, bar.high))
    solid, end = round(low), round(high)
    if ascii:
        return ASCII_SOLID * solid + ASCII_SHADED * (end - solid)
    if end > solid:
        return SOLID * solid + SHADED * (end - solid)
    eighths = round((low + high) / 2 * 8)
    return SOLID * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def has_room(bars: Bars, width: int) -> bool:
    """Whether lines of that width hold the columns, their headings and bars that show something.

    >>> from hopcost.report.document import Bar, BarRow
    >>> bars = Bars(["", "of go", ""], [BarRow("nginx", [], Bar(0.44, 0.47, 1), ["46 %", "(44–47)"])])
    >>> has_room(bars, 27), has_room(bars, 26)
    (True, False)
    """
    return sum(widths_of(bars, OVER_BAR)) + sum(map(len, gaps_of(bars))) + OVER_BAR <= width


def place_of(bars: Bars) -> int:
    """The number of the column that the bars stand before."""
    return 1 + len(bars.rows[0].before)


def gaps_of(bars: Bars) -> list[str]:
    """What stands before each column."""
    return ["" if number == 0 else GAP if name else CLOSE for number, name in enumerate(bars.header)]


def widths_of(bars: Bars, over_bar: int) -> list[int]:
    """Of all columns but the bars. A heading reaches over the columns that belong to its own, and over the bar."""
    place, gaps = place_of(bars), gaps_of(bars)
    widths = [max(map(len, column)) for column in zip(*(row.cells for row in bars.rows), strict=True)]
    for names in (bars.header, bars.above):
        for begin, end in groups(names):
            room = over_bar if begin <= place < end else 0
            own = sum(widths[begin:end]) + sum(map(len, gaps[begin + 1 : end]))
            widths[end - 1] += max(0, len(names[begin]) - own - room)
    return widths


def groups(header: list[str]) -> list[tuple[int, int]]:
    """Begin and end of the columns that share a heading."""
    begins = [number for number, name in enumerate(header) if name or number == 0]
    return list(zip(begins, [*begins[1:], len(header)][: len(begins)], strict=True))
