"""Rows with bars as text. Bars take what room there is; if there is none, they go, and then rows take two lines."""

from __future__ import annotations

import re
from dataclasses import replace

from hopcost.report.bars import CLOSE, GAP, LEAST_CELLS, OVER_BAR, draw, gaps_of, groups, place_of, widths_of
from hopcost.report.document import Bars

NARROW, WIDE = 80, 100  # columns of a terminal
CELLS, MOST_CELLS = 15, 34  # of a bar there
FIGURE = re.compile(r"[+−<>≥≤~-]*\d")


def bar_rows(bars: Bars, width: int, ascii: bool = False) -> list[str]:
    """The header, if it has words, and the rows.

    >>> from hopcost.report.document import Bar, BarRow
    >>> go = BarRow("go", ["74,121"], Bar(1, 1, 1), ["100 %", ""])
    >>> nginx = BarRow("nginx", ["33,805"], Bar(0.44, 0.47, 1), ["46 %", "(44–47)"])
    >>> print("\\n".join(bar_rows(Bars(["", "req/s", "of go", ""], [go, nginx]), 80)))
            req/s                   of go
    go     74,121  ███████████████  100 %
    nginx  33,805  ██████▉           46 % (44–47)
    """
    place, gaps = place_of(bars), gaps_of(bars)
    room = width - sum(map(len, gaps))
    has_bars = any(row.bar is not None for row in bars.rows)
    widths = widths_of(bars, over_bar=OVER_BAR if has_bars else 0)
    cells = min(_wanted(width), room - sum(widths) - len(GAP)) if has_bars else 0
    if cells < LEAST_CELLS:
        cells, widths = 0, widths_of(bars, over_bar=0)
    if sum(widths) > room:
        return bar_rows(replace(bars, above=[]), width, ascii) if bars.above else _in_two_lines(bars)
    figures = [any(FIGURE.match(row.cells[number]) for row in bars.rows) for number in range(len(widths))]
    starts = _starts(widths, gaps, place, cells)
    edges = [start - cells - len(GAP) if number == place and cells else start for number, start in enumerate(starts)]
    above = _row_of(bars.above, edges, widths)
    header = (
        _row_of(bars.header, edges, widths)
        if above
        else _header(bars.header, starts, widths, figures, place if cells else 0)
    )
    lines = [above, header] if above else [header]
    for row in bars.rows:
        line = ""
        for number, cell in enumerate(row.cells):
            if number == place and cells and row.bar is not None:
                line = line.ljust(starts[number] - len(gaps[number]) - cells) + draw(row.bar, cells, ascii)
            is_figure = number > 0 and figures[number]
            line = line.ljust(starts[number]) + (cell.rjust(widths[number]) if is_figure else cell)
        if place == len(row.cells) and cells and row.bar is not None:
            line = f"{line}{GAP}{draw(row.bar, cells, ascii)}"
        lines.append(line.rstrip())
    return [line for line in lines if line]


def _wanted(width: int) -> int:
    """Cells of a bar on a terminal of that width."""
    beyond = min(max(width, NARROW), WIDE) - NARROW
    return CELLS + round(beyond * (MOST_CELLS - CELLS) / (WIDE - NARROW))


def _together(widths: list[int], begin: int, end: int) -> int:
    return sum(widths[begin:end]) + len(CLOSE) * (end - begin - 1)


def _starts(widths: list[int], gaps: list[str], place: int, cells: int) -> list[int]:
    """Where each column begins; the bar stands before the column `place`."""
    starts, end = [], 0
    for number, (size, gap) in enumerate(zip(widths, gaps, strict=True)):
        end += (len(GAP) + cells if number == place and cells else 0) + len(gap)
        starts.append(end)
        end += size
    return starts


def _row_of(names: list[str], edges: list[int], widths: list[int]) -> str:
    """Each name at the left edge of its columns, over the bar too; that of a single column of figures stands right."""
    line = ""
    for begin, end in groups(names):
        is_single = 0 < begin == end - 1 and edges[begin] + widths[begin] <= min(edges[end:], default=0)
        name = names[begin].rjust(widths[begin]) if is_single and names[begin] else names[begin]
        line = line.ljust(edges[begin]) + name if name else line
    return line


def _header(names: list[str], starts: list[int], widths: list[int], figures: list[bool], place: int) -> str:
    """The name of a single column of figures stands right, all others left; a long one behind the bar, over the bar."""
    line = ""
    for begin, end in groups(names):
        name, room = names[begin], _together(widths, begin, end)
        is_single = end == begin + 1 and begin > 0 and figures[begin]
        aside = room - len(name) if is_single or (begin == place and len(name) > room) else 0
        line = line.ljust(starts[begin] + aside) + name if name else line
    return line


def _in_two_lines(bars: Bars) -> list[str]:
    lines = []
    for row in bars.rows:
        lines += [row.label, "  " + " ".join(filter(None, [*row.before, *row.after]))]
    return lines
