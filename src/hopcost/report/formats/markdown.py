"""Documents as Markdown, for a pull request or an issue: GitHub's dialect, with pipe tables and bars as code."""

from __future__ import annotations

import re

from hopcost.report import Result
from hopcost.report.document import Bars, Document, Element, Entries, Fold, Heading, Lines, Style, Table
from hopcost.report.formats.text.bar_rows import NARROW, bar_rows


def write(result: Result) -> str:
    """The result's document."""
    return markdown(result.document())


def markdown(document: Document) -> str:
    """The document, with an empty line between any two paragraphs, tables and lists."""
    paragraphs = [paragraph for section in document.sections for element in section for paragraph in _element(element)]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def _element(element: Element) -> list[str]:
    match element:
        case Heading():
            return [f"{'#' * element.level} {escape(element.text)}", escape(element.about)]
        case Lines(style=Style.PARAGRAPHS):
            return [escape(line) for line in element.lines]
        case Lines(style=Style.ANSWER):
            return [f"**{escape(line)}**" for line in element.lines if line]
        case Lines(style=Style.VERSE):
            return ["<br>\n".join(escape(line) for line in element.lines)]
        case Lines(style=Style.CODE):
            return [code(line.splitlines()) for line in element.lines]
        case Lines():
            return [bullets(element.lines)]
        case Bars() if element.rows:
            return [code(bar_rows(element, NARROW)), bullets(element.below)]
        case Table() if element.rows:
            title = f"**{escape(element.title)}**" if element.title else ""
            return [title, grid(element), bullets(element.below)]
        case Entries() if element.entries:
            rows = [[escape(entry.label), "<br>".join(map(escape, entry.lines))] for entry in element.entries]
            return [pipes([*element.header], rows, words=2)]
        case Fold():
            inside = [paragraph for content in element.elements for paragraph in _element(content)]
            opening = f"<details{' open' if element.is_open else ''}><summary>{escape(element.title)}</summary>"
            return [opening, *inside, "</details>"]
    return []


def grid(table: Table) -> str:
    """A pipe table."""
    words = len(table.header) if table.words == len(table.header) else 1  # a second column of words stands right
    return pipes(table.header, [[escape(cell) for cell in row] for row in table.rows], words)


def pipes(header: list[str], rows: list[list[str]], words: int) -> str:
    """Cells between pipes; the first `words` columns stand left, figures right."""
    alignment = ["---"] * words + ["---:"] * (len(header) - words)
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, alignment, *rows])


def bullets(lines: list[str]) -> str:
    """Bullet points. The second and later lines of a program's output become a code block."""
    points = []
    for line in lines:
        first, *rest = line.splitlines() or [""]
        points.append("\n".join([f"- {escape(first)}", *(["", *_fenced(rest, "  ")] if rest else [])]))
    return "\n".join(points)


def code(lines: list[str]) -> str:
    """A code block."""
    return "\n".join(_fenced(lines, ""))


def _fenced(lines: list[str], indent: str) -> list[str]:
    """The fence is longer than any in the code, so that the code cannot end it."""
    longest = max([2, *(len(ticks) for line in lines for ticks in re.findall("`+", line))])
    fence = "`" * (longest + 1)
    return [f"{indent}{fence}text", *[f"{indent}{line}" for line in lines], f"{indent}{fence}"]


def escape(text: str) -> str:
    """One line of text, with the signs of Markdown and HTML escaped."""
    text = " ".join(text.split())
    for sign in "\\`*_|[]#~":
        text = text.replace(sign, "\\" + sign)
    return text.replace("&", "&amp;").replace("<", "&lt;")
