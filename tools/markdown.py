"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A column `name` is aligned to the left, `name:` to the right."""
    names = [column.removesuffix(":") for column in columns]
    marks = ["---:" if column.endswith(":") else "---" for column in columns]
    return "\n".join(map(row, [names, marks, *rows]))


def row(cells: Iterable[str]) -> str:
    """A row of a table.

    >>> row(["a", "b|c"])
    '| a | b\\\\|c |'
    """
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
