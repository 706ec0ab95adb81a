"""Tables as text. A table that is too wide becomes several, one below the other, each with the words on the left.

Columns whose headings begin with the same word stay together: a ratio and its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

GAP = "  "
ABSENT = "–"


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
    parts = _parts(header, widths, words, width)
    return [
        _lines(part, headings, widths, _told(part, rows, words) if part != parts[0] else rows, words) for part in parts
    ]


def _parts(header: Sequence[str], widths: Sequence[int], words: int, width: int) -> list[list[int]]:
    """The numbers of the columns of each part; all begin with the columns of words."""
    labels = list(range(words))
    parts, part = [], list(labels)
    for together in _together(header, words):
        is_lone = _width([*labels, *together], widths) <= width
        for own in [together] if is_lone else [[number] for number in together]:
            if len(part) > words and _width([*part, *own], widths) > width:
                parts.append(part)
                part = list(labels)
            part += own
    return [*parts, part]


def _together(header: Sequence[str], words: int) -> list[list[int]]:
    """Numbers of columns behind the words, those with the same first word in one list.

    >>> _together(["stack", "req/s", "CPU ratio", "CPU verdict"], 1)
    [[1], [2, 3]]
    """
    groups: list[list[int]] = []
    for number in range(words, len(header)):
        if groups and header[number].partition(" ")[0] == header[number - 1].partition(" ")[0]:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _told(part: Sequence[int], rows: Sequence[Sequence[str]], words: int) -> list[list[str]]:
    """The rows that have a figure in this part: the table's first part has the others.

    >>> _told([0, 2], [["go", "1", "–"], ["nginx", "2", "3"]], 1)
    [['nginx', '2', '3']]
    """
    kept: list[list[str]] = []
    labels, shown = [""] * words, [""] * words  # of the row above: an empty label means the same
    for row in rows:
        labels = [cell or above for cell, above in zip(row[:words], labels, strict=True)]
        if all(row[number] in (ABSENT, "") for number in part[words:]):
            continue
        is_new = labels != shown and any(not cell for cell in row[:words])
        own = [
            cell or (label if label != above else "") for cell, label, above in zip(row, labels, shown, strict=False)
        ]
        kept.append([*(own if is_new else row[:words]), *row[words:]])
        shown = labels
    return kept


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
