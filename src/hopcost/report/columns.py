"""A table as plain text: columns as wide as they need to be, whatever the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def lines(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """Header, rule and rows, all with as many cells; the first `words` columns stand left, figures right.

    >>> print("\\n".join(lines(["arm", "ratio"], [["go", "1"], ["nginx", "0.5"]])))
    arm    ratio
    ─────  ─────
    go         1
    nginx    0.5
    """
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    found = []
    for row in [header, ["─" * width for width in widths], *rows]:
        cells = [
            cell.ljust(width) if number < words else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        found.append("  ".join(cells).rstrip())
    return found
