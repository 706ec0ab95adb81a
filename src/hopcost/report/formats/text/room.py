"""An experiment has fifteen lines on a terminal: what has no room is counted, and `--details` shows it.

Cautions go first, from the last one on, but for two lines of them; then rows of the table, then the other cautions.
The weightiest caution stays, and if need be three rows beside it: a table that would be misread is worth less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hopcost.report.document import Bars, Lines, Section
from hopcost.report.formatting import count

MOST_LINES = 15
MOST_ROWS, LEAST_ROWS, FEWEST_ROWS = 8, 5, 3
LEAST_CAUTIONS = 3  # lines, the one that counts the others among them
WEIGHTY = ("! ", "? ")  # entries that change the reading: if some of them is left out, the count has a mark too

Height = Callable[[Section], int]  # how many lines a section takes


def fitted(section: Section, height: Height) -> Section:
    """The section if it has room, or does not say what it can do without; otherwise as much of it as has room."""
    below = next((element for element in section if isinstance(element, Lines) and element.sentences), None)
    bars = next((element for element in section if isinstance(element, Bars)), None)
    if below is None:
        return section
    if bars is None:  # all rows of another table belong together
        return _with_fewer_cautions(section, below, height)
    smaller = section
    for smaller_bars, smaller_below in _ever_smaller(bars, below, height):
        smaller = [
            smaller_bars if element is bars else smaller_below if element is below else element for element in section
        ]
        if height(smaller) <= MOST_LINES:
            break
    return smaller


def _with_fewer_cautions(section: Section, below: Lines, height: Height) -> Section:
    smaller, sentences = section, sum(map(len, below.sentences))
    for kept in range(sentences, min(1, sentences) - 1, -1):
        shorter = _shortened(below, kept, 0)
        smaller = [shorter if element is below else element for element in section]
        if height(smaller) <= MOST_LINES:
            break
    return smaller


def _ever_smaller(bars: Bars, below: Lines, height: Height) -> Iterator[tuple[Bars, Lines]]:
    """Tables of ever fewer rows, each with ever fewer cautions."""
    sentences, all_rows = sum(map(len, below.sentences)), len(bars.rows)
    fewest, first = min(all_rows, LEAST_ROWS), min(1, sentences)
    for rows in range(min(all_rows, MOST_ROWS), fewest - 1, -1):
        for kept in range(sentences, first - 1, -1):
            shorter = _shortened(below, kept, all_rows - rows)
            if rows > fewest and kept < sentences and height([shorter]) < LEAST_CAUTIONS:
                break
            yield replace(bars, rows=bars.rows[:rows]), shorter
    fewest = min(all_rows, FEWEST_ROWS)
    for rows, kept in [*((rows, first) for rows in range(LEAST_ROWS - 1, fewest - 1, -1)), (fewest, 0)]:
        yield replace(bars, rows=bars.rows[:rows]), _shortened(below, kept, all_rows - min(rows, all_rows))


def _shortened(below: Lines, kept: int, rows: int) -> Lines:
    """The first sentences, and how many more there are; and how many more `rows` the table has."""
    lines, left, mark = [], kept, ""
    for sentences in below.sentences:
        lines.append(" ".join(sentences[:left]))
        if left < len(sentences) and sentences[0].startswith(WEIGHTY):
            mark = "! "
        left = max(0, left - len(sentences))
    hidden = sum(map(len, below.sentences)) - kept
    more = [count(number, what) for number, what in ((rows, "more row"), (hidden, "more caution")) if number]
    told = [f"{mark}{' and '.join(more)}: --details"] if more else []
    return replace(below, lines=[*filter(None, lines), *told])
