"""Tables of an experiment, or of all values of a sweep: then the value is the first column, and stands once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT, swept_key, swept_value
from hopcost.statistics.summary.summary import ExperimentSummary

Rows = list[list[str]]


def keyed(
    group: Sequence[ExperimentSummary],
    header: list[str],
    rows_of: Callable[[ExperimentSummary], Rows],
    *,
    title: str = "",
    below: Sequence[str] = (),
    words: int = 1,
) -> Table:
    """The table of these rows; a cell that repeats the one above it in the columns of words stays empty."""
    key = swept_key(group[0])
    rows = [[*([swept_value(experiment)] if key else []), *row] for experiment in group for row in rows_of(experiment)]
    words += bool(key)
    shown = [_without_repeats(row, above, words) for row, above in zip(rows, [[], *rows], strict=False)]
    names = [*([key] if key else []), *header]
    told = [number for number in range(len(names)) if number < words or any(row[number] != ABSENT for row in shown)]
    return Table(_only(told, names), [_only(told, row) for row in shown], title, list(below), words)


def _only(numbers: Sequence[int], cells: Sequence[str]) -> list[str]:
    """Without the columns in which nothing is known."""
    return [cells[number] for number in numbers]


def _without_repeats(row: list[str], above: list[str], words: int) -> list[str]:
    """The words from the left on that stand above it already become empty; the last column of words stays."""
    cells = list(row)
    for number in range(words - 1):
        if not above or row[number] != above[number]:
            break
        cells[number] = ""
    return cells
