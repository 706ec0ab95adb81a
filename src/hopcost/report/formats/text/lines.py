"""A document as lines with a tone. Nothing is wider than the terminal, but for words that are."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from hopcost.report.document import (
    BarRow,
    Bars,
    Document,
    Element,
    Entries,
    Fold,
    Heading,
    Lines,
    Section,
    Style,
    Table,
)
from hopcost.report.formats.text.bar_rows import bar_rows
from hopcost.report.formats.text.columns import columns
from hopcost.report.formats.text.room import fitted
from hopcost.report.formats.text.wrapping import to_ascii, wrap

INDENT = "  "
FIRST = {  # what stands before the first line of an entry; those below it are indented as far
    Style.PARAGRAPHS: "",
    Style.ANSWER: INDENT,
    Style.CAUTIONS: INDENT,
    Style.NOTES: INDENT,
    Style.REMARKS: "",
    Style.VERSE: INDENT,
    Style.POINTS: "  - ",
    Style.CODE: INDENT,
}
MARKS = ("! ", "? ", "~ ")
FEW_ROWS = 6  # with more, a table follows without an empty line: an experiment has fifteen lines


class Tone(Enum):
    """How a line looks where colours are, in the terminal library's words. Words alone say all that it says."""

    PLAIN = ""
    ANSWER = "bold"
    QUIET = "dim"  # changes nothing
    CAUTION = "yellow"  # changes the reading


class Line(NamedTuple):
    """One line of the terminal."""

    text: str
    tone: Tone = Tone.PLAIN


class Layout:
    """Lays documents out for a width; `ascii`: with letters that every terminal has.

    `words` may change each text before it is laid out.
    """

    def __init__(self, width: int, ascii: bool = False, words: Callable[[str], str] = str) -> None:
        self.width = width
        self.ascii = ascii
        self.words = words

    def lines(self, document: Document) -> list[Line]:
        """All lines, an empty one between sections."""
        lines: list[Line] = []
        for section in document.sections:
            content = self.section(section)
            lines += [Line(""), *content] if lines and content else content
        return [Line(to_ascii(line.text) if self.ascii else line.text, line.tone) for line in lines]

    def section(self, elements: Section) -> list[Line]:
        """The lines of one section."""
        return self._laid_out(fitted(elements, lambda section: len(self._laid_out(section))))

    def _laid_out(self, elements: Section) -> list[Line]:
        lines: list[Line] = []
        for element in elements:
            content = self._element(element)
            if content and lines and _stands_apart(element):
                lines.append(Line(""))
            lines += content
        return lines

    def _element(self, element: Element) -> list[Line]:
        match element:
            case Heading():
                return self._heading(element)
            case Lines():
                return [line for entry in element.lines for line in self._entry(entry, element.style)]
            case Bars() if element.rows:
                return self._bars(element)
            case Table() if element.rows:
                return self._table(element)
            case Entries():
                return self._entries(element)
            case Fold(is_open=True):
                return [Line(self._plain(element.title), Tone.ANSWER), *self.section(element.elements)]
        return []

    def _heading(self, heading: Heading) -> list[Line]:
        words = " · ".join(filter(None, (heading.text, heading.about)))
        tone = Tone.PLAIN if heading.level == 1 else Tone.ANSWER
        return [Line(line, tone) for line in wrap(self._plain(words), self.width, rest=INDENT)]

    def _entry(self, entry: str, style: Style) -> list[Line]:
        """One entry of lines. What follows its first line was printed by a program, and keeps its line breaks."""
        first, *rest = self._plain(entry).splitlines() or [""]
        if style in (Style.VERSE, Style.CODE):
            return [Line((FIRST[style] + line).rstrip()) for line in (first, *rest)]
        before, tone = FIRST[style], _tone(first, style)
        mark = next((mark for mark in MARKS if style is Style.CAUTIONS and first.startswith(mark)), "")
        lines = wrap(first.removeprefix(mark), self.width, before + mark)
        for line in rest:
            lines += wrap(line, self.width, before, before)
        return [Line(line, tone) for line in lines]

    def _bars(self, bars: Bars) -> list[Line]:
        plain = Bars(
            self._all(bars.header),
            [BarRow(self._plain(row.label), self._all(row.before), row.bar, self._all(row.after)) for row in bars.rows],
            above=self._all(bars.above),
        )
        rows = bar_rows(plain, self.width - len(INDENT), self.ascii)
        has_header = rows[0] != plain.rows[0].label  # it has none if rows take two lines
        head = len(rows) - len(plain.rows) if has_header else 0
        lines = [Line(INDENT + row, Tone.QUIET if number < head else Tone.PLAIN) for number, row in enumerate(rows)]
        return [*lines, *self._element(Lines(bars.below, Style.CAUTIONS))]

    def _table(self, table: Table) -> list[Line]:
        title = [Line(line) for line in wrap(self._plain(table.title), self.width)] if table.title else []
        header, *rows = (self._all(cells) for cells in (table.header, *table.rows))
        lines: list[Line] = []
        for part in columns(header, rows, table.words, self.width - len(INDENT)):
            lines += [Line("")] if lines else []
            lines += [Line(INDENT + line) for line in part]
        below = [line for entry in table.below for line in self._entry(entry, Style.NOTES)]
        return [*title, *lines, *below]

    def _all(self, texts: list[str]) -> list[str]:
        return [self._plain(text) for text in texts]

    def _entries(self, entries: Entries) -> list[Line]:
        width = max((len(entry.label) for entry in entries.entries), default=0)
        lines: list[Line] = []
        for entry in entries.entries:
            before = f"{INDENT}{self._plain(entry.label):<{width}}{INDENT}"
            for line in entry.lines:
                lines += [Line(part) for part in wrap(self._plain(line), self.width, before)]
                before = " " * len(before)
        return lines

    def _plain(self, text: str) -> str:
        text = self.words(text)
        return to_ascii(text) if self.ascii else text


def _stands_apart(element: Element) -> bool:
    """Whether an empty line stands before it."""
    match element:
        case Bars():
            return len(element.rows) <= FEW_ROWS
        case Table() | Fold():
            return True
        case Lines(style=Style.VERSE | Style.CODE):
            return True
    return False


def _tone(first: str, style: Style) -> Tone:
    if style is Style.ANSWER:
        return Tone.ANSWER
    if style is not Style.CAUTIONS:
        return Tone.PLAIN
    return Tone.CAUTION if first.startswith(("! ", "? ")) else Tone.QUIET
