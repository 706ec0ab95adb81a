"""A report that people read: sections of headings, lines, tables and bars. Each format writes them in its own way.

Elements replace control characters in their text: the output of a program must not control the terminal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hopcost.errors import printable


class Style(Enum):
    """How a format shows lines."""

    PARAGRAPHS = "paragraphs"
    ANSWER = "answer"  # the sentence that people quote
    CAUTIONS = "cautions"  # `! …` changes the reading, `? …` and `~ …` explain marks of a table, others add to it
    NOTES = "notes"  # below a table
    REMARKS = "remarks"  # as notes, but a terminal does not indent them
    VERSE = "verse"  # one paragraph that keeps its line breaks
    POINTS = "points"  # bullet points everywhere
    CODE = "code"  # a file to copy: neither wrapped nor escaped


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
    """Lines of one style. A line with line breaks is a program's output and keeps them.

    `sentences` are those of each line if a terminal may leave the last ones out: then its section has fifteen lines.
    """

    lines: list[str]
    style: Style = Style.NOTES
    sentences: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = [printable(line) for line in self.lines]

    @classmethod
    def of_sentences(cls, sentences: list[list[str]], style: Style) -> Lines:
        """A line for each list."""
        return cls([" ".join(line) for line in sentences], style, sentences)


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


@dataclass(frozen=True)
class Bar:
    """From 0 to `low` for certain, up to `high` at most; `most` is what fills the whole width."""

    low: float
    high: float
    most: float


@dataclass
class BarRow:
    """A row of bars: its label, cells before the bar, the bar (None: no bar in this row) and cells after it."""

    label: str
    before: list[str] = field(default_factory=list)
    bar: Bar | None = None
    after: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.label = printable(self.label)
        self.before, self.after = ([printable(cell) for cell in cells] for cells in (self.before, self.after))

    @property
    def cells(self) -> list[str]:
        """All cells but the bar."""
        return [self.label, *self.before, *self.after]


@dataclass
class Bars:
    """Rows with bars. `header` has a cell for the label and for each cell before and after the bar, none for the bar.

    A column whose header is empty belongs to the one on its left: a range to its figure. `above` has what several
    columns share, as long as `header`: each name reaches as far as the next one. `below` are cautions. Without rows, a
    format shows nothing of it.
    """

    header: list[str]
    rows: list[BarRow]
    below: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.header, self.above = ([printable(cell) for cell in cells] for cells in (self.header, self.above))
        self.below = [printable(line) for line in self.below]

    @property
    def headings(self) -> list[str]:
        """The header for a format with one line of it: what columns share stands in each of their names.

        >>> Bars(["", "CPU", "", "median"], [], above=["", "at 5/s", "", ""]).headings
        ['', 'at 5/s: CPU', '', 'at 5/s: median']
        """
        shared = ""
        headings = []
        for number, name in enumerate(self.header):
            shared = self.above[number] or shared if self.above else ""
            headings.append(": ".join(filter(None, (shared, name))) if name else "")
        return headings


@dataclass
class Entry:
    """Lines beside a label; the first one says what the entry is about."""

    label: str
    lines: list[str]

    def __post_init__(self) -> None:
        self.label, self.lines = printable(self.label), [printable(line) for line in self.lines]


@dataclass
class Entries:
    """Labels with lines beside them, which a terminal wraps. `header` names both for a format that needs names."""

    header: tuple[str, str]
    entries: list[Entry]


@dataclass
class Fold:
    """More on what stands above it. Markdown folds it; a terminal shows it only if it is open."""

    title: str
    elements: list[Element]
    is_open: bool = False


Element = Heading | Lines | Table | Bars | Entries | Fold
Section = list[Element]  # elements that belong together


@dataclass
class Document:
    """A terminal breaks its lines at the terminal's width."""

    sections: list[Section]
