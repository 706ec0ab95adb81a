"""What every report for the eye is made of: sections of headings, lines and tables. Formats write it in their own way.

Control characters are replaced as text enters: what a program printed must not steer the terminal that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hopcost.errors import printable


class Style(Enum):
    """What lines are."""

    PARAGRAPHS = "paragraphs"
    NOTES = "notes"  # below a table
    REMARKS = "remarks"  # as notes, but a terminal does not indent them
    VERSE = "verse"  # one paragraph that keeps its line breaks
    POINTS = "points"  # bullet points everywhere


@dataclass
class Heading:
    """`about` is a sentence that belongs to it; level 1 is the document's title."""

    text: str
    level: int = 2
    about: str = ""

    def __post_init__(self) -> None:
        self.text, self.about = printable(self.text), printable(self.about)


@dataclass
class Lines:
    """Lines of one style; one with line breaks is what a program printed, and keeps them."""

    lines: list[str]
    style: Style = Style.NOTES

    def __post_init__(self) -> None:
        self.lines = [printable(line) for line in self.lines]


@dataclass
class Table:
    """`header` and all `rows` have as many cells, the first `words` of them words; `below` are notes.

    A table without rows is not shown, nor is anything around it.
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
Section = list[Element]  # what stands together


@dataclass
class Document:
    """`wraps`: a terminal breaks lines at its width and stacks the words of column headings."""

    sections: list[Section]
    wraps: bool = False
