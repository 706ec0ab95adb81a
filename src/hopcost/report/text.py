"""Documents for a terminal. In a file or a pipe they are the same without colours."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from hopcost.report import Result
from hopcost.report.document import Document, Element, Heading, Lines, Section, Style, Table

WIDTH = 132  # if there is no terminal to ask
INDENT = {Style.PARAGRAPHS: "", Style.NOTES: "  ", Style.REMARKS: "", Style.VERSE: "  ", Style.POINTS: "  - "}


def write(result: Result) -> str:
    """The result's document as plain text."""
    return text(result.document())


def text(document: Document, width: int = WIDTH) -> str:
    """Plain text, `width` columns wide if the document wraps."""
    if not document.wraps:
        return "\n\n".join(filter(None, map(_plain_section, document.sections))) + "\n"
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None, highlight=False)
    _print_sections(document, console)
    assert isinstance(console.file, io.StringIO), "made above"
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def show(document: Document) -> None:
    """Print to standard output: with a terminal's width and colours, or as `text` if it is no terminal."""
    console = Console(highlight=False)
    if console.is_terminal and document.wraps:
        _print_sections(document, console)
    else:
        print(text(document), end="")


def _print_sections(document: Document, console: Console) -> None:
    for number, section in enumerate(document.sections):
        if number:
            console.print()
        for element in section:
            _print_element(element, console)


def _print_element(element: Element, console: Console) -> None:
    match element:
        case Heading():
            console.print(Text(_heading(element), style="" if element.level == 1 else "bold"))
        case Lines():
            indent = len(INDENT[element.style])
            for line in element.lines:
                console.print(Padding(Text(line), (0, 0, 0, indent)) if indent else Text(line))
        case Table() if element.rows:
            if element.title:
                console.print(Text(element.title))
            console.print(_grid(element), crop=False)  # otherwise rich drops columns that do not fit
            _print_element(Lines(element.below), console)


def _grid(table: Table) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for number, name in enumerate(table.header):
        is_words = number < table.words
        heading = Text(name if is_words else name.replace(" ", "\n"))  # narrow: the width is for the figures
        words = [*(row[number] for row in table.rows), *name.split()]
        widest = max(len(word) for word in words)  # a cell never wraps
        grid.add_column(heading, justify="left" if is_words else "right", vertical="bottom", min_width=widest)
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _plain_section(section: Section) -> str:
    return "\n".join(line for element in section for line in _plain_element(element))


def _plain_element(element: Element) -> list[str]:
    match element:
        case Heading():
            return [_heading(element)]
        case Lines():
            return [INDENT[element.style] + part for line in element.lines for part in line.splitlines()]
        case Table() if element.rows:
            title = [element.title] if element.title else []
            return [*title, *columns(element), *_plain_element(Lines(element.below))]
    return []


def _heading(heading: Heading) -> str:
    return f"{heading.text}: {heading.about}" if heading.about else heading.text


def columns(table: Table) -> list[str]:
    """Header, rule and rows; columns are as narrow as possible, with words on the left and figures on the right.

    >>> print("\\n".join(columns(Table(["arm", "ratio"], [["go", "1"], ["nginx", "0.5"]]))))
    arm    ratio
    ─────  ─────
    go         1
    nginx    0.5
    """
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    lines: list[Sequence[str]] = [table.header, ["─" * width for width in widths], *table.rows]
    return ["  ".join(_aligned(line, widths, table.words)).rstrip() for line in lines]


def _aligned(cells: Sequence[str], widths: list[int], words: int) -> list[str]:
    padded = zip(cells, widths, strict=True)
    return [cell.ljust(width) if number < words else cell.rjust(width) for number, (cell, width) in enumerate(padded)]
