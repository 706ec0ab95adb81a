"""The report for a terminal."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from hopcost.record.run import Record
from hopcost.report.notes import head
from hopcost.report.tables import experiment
from hopcost.statistics.summary.summary import ExperimentSummary

WIDTH = 132  # where there is no terminal to ask


def render(record: Record, experiments: list[ExperimentSummary], width: int | None = None) -> str:
    """Plain text, `width` columns wide."""
    console = Console(
        file=io.StringIO(), width=width or WIDTH, force_terminal=False, color_system=None, highlight=False
    )
    show(record, experiments, console)
    assert isinstance(console.file, io.StringIO), "made above"
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def put(record: Record, experiments: list[ExperimentSummary]) -> None:
    """Print to standard output: as wide as the terminal and with its colours, or as `render` where it is none."""
    console = Console(highlight=False)
    if console.is_terminal:
        show(record, experiments, console)
    else:
        print(render(record, experiments), end="")


def show(record: Record, experiments: list[ExperimentSummary], console: Console) -> None:
    """Print to a console, with its colours."""
    for line in head.head(record):
        console.print(Text(line))
    for content in experiment.tables(experiments):
        console.print()
        console.print(Text(f"{content.title}: {content.question}", style="bold"))
        if content.answer:
            console.print(Text(content.answer))
        if content.rows:
            console.print(_grid(content.header, content.rows), crop=False)  # else rich drops columns that do not fit
        for further in content.further:
            console.print(Text(further.title))
            console.print(_grid(further.header, further.rows), crop=False)
            _lines(console, further.below)
        _lines(console, content.below)
        if content.published_rows:
            console.print(_grid(content.published_header, content.published_rows), crop=False)
            _lines(console, content.published_below)


def _grid(header: list[str], rows: list[list[str]]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for number, name in enumerate(header):
        heading = Text(name.replace(" ", "\n") if number else name)  # narrow: the width is for the figures
        words = [*(row[number] for row in rows), *name.split()]
        widest = max(len(word) for word in words)  # a cell never wraps
        grid.add_column(heading, justify="left" if number == 0 else "right", vertical="bottom", min_width=widest)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _lines(console: Console, lines: list[str]) -> None:
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 2)))
