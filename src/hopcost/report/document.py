"""A report that people read: sections of headings, lines and tables. Each format writes them in its own way.

Elements replace control characters in their text: the output of a program must not control the terminal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hopcost.errors import printable


class Style(Enum):
    """How a format shows lines."""

    PARAGRAPHS = "paragraphs"
    NOTES = "notes"  # below a table
    REMARKS = "remarks"  # as notes, but a terminal does not indent them
    VERSE = "verse"  # one paragraph that keeps its line breaks
    POINTS = "points"  # bullet points everywhere


@dataclass
class Heading:
    """`about` is a sentence after the heading; level 1 is the document's title."""

    text: str
    level: int = 2
    about: str = ""

    def __post_init__(self) -> None:
        self.text, self.about = printable(self.text), printable(self.about)


@dataclass
class Lines:
    """Lines of one style. A line with line breaks is a program's output and keeps them."""

    lines: list[str]
    style: Style = Style.NOTES

    def __post_init__(self) -> None:
        self.lines = [printable(line) for line in self.lines]


@dataclass
class Table:
    """`header` and all `rows` have the same number of cells; the first `words` cells are words. `below` are notes.

    Without rows, a format shows neither the table nor its title and notes.
    """

    header: list[str]
    rows: list[list[str]]
    title: str = ""
    below: list[str] = field(default_factory=list)
    words: int = 1

    def __post_init__(self) -> None:
        self.rows = [[printable(cell) for cell in row] for row in self.rows]
        self.below = [printable(line) for line in self.below]


Element = Heading | Lines | Table
Section = list[Element]  # elements that belong together


@dataclass
class Document:
    """If it `wraps`, a terminal breaks lines at its width and stacks the words of column headings."""

    sections: list[Section]
    wraps: bool = False
