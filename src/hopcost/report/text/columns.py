"""Tables as text. A table that is too wide becomes several, one below the other, each with the words on the left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

GAP = "  "


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], words: int, width: int) -> list[list[str]]:
    """The lines of each part of the table: words on the left, figures on the right, headings in narrow columns.

    >>> (lines,) = columns(["stack", "of go"], [["go", "100 %"], ["nginx", "46 %"]], 1, 80)
    >>> print("\\n".join(lines))
    stack  of go
    ─────  ─────
    go     100 %
    nginx   46 %
    """
    cells = [list(column) for column in zip(*rows, strict=True)]
    headings = [[name] if number < words else _stacked(name, cells[number]) for number, name in enumerate(header)]
    widths = [max(map(len, [*heading, *column]), default=0) for heading, column in zip(headings, cells, strict=True)]
    return [_lines(part, headings, widths, rows, words) for part in _parts(widths, words, width)]


def _parts(widths: Sequence[int], words: int, width: int) -> list[list[int]]:
    """The numbers of the columns of each part; all begin with the columns of words."""
    labels = list(range(words))
    parts, part = [], list(labels)
    for number in range(words, len(widths)):
        if len(part) > words and _width([*part, number], widths) > width:
            parts.append(part)
            part = list(labels)
        part.append(number)
    return [*parts, part]


def _width(numbers: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[number] for number in numbers) + len(GAP) * (len(numbers) - 1)


def _stacked(name: str, cells: Sequence[str]) -> list[str]:
    """The words of a heading, in as few lines as are no wider than its cells."""
    most = max(map(len, [*cells, *name.split()]), default=0)
    lines: list[str] = []
    for word in name.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _lines(
    part: Sequence[int],
    headings: Sequence[Sequence[str]],
    widths: Sequence[int],
    rows: Sequence[Sequence[str]],
    words: int,
) -> list[str]:
    upwards = zip_longest(*(reversed(headings[number]) for number in part), fillvalue="")
    above = [list(line) for line in upwards][::-1]
    rule = ["─" * widths[number] for number in part]
    below = [[row[number] for number in part] for row in rows]
    return [
        GAP.join(
            cell.ljust(widths[number]) if number < words else cell.rjust(widths[number])
            for number, cell in zip(part, line, strict=True)
        ).rstrip()
        for line in [*above, rule, *below]
    ]
