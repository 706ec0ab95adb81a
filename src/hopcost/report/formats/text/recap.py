"""A report that is longer than the terminal ends with all of its answers, or with none: a part would look like all."""

from __future__ import annotations

from hopcost.report.document import Document, Heading, Lines, Section, Style
from hopcost.report.formats.text.lines import Layout

TITLE = "In short (the tables are above)"


def with_answers_last(document: Document, layout: Layout, height: int) -> Document:
    """The same with every answer once more before its last section, if a terminal so high does not show all of it."""
    if len(layout.lines(document)) < height:  # the prompt takes the last line
        return document
    *sections, last = document.sections
    answers = [answer for section in sections for answer in _answers(section)]
    recap: list[Section] = [[Heading(TITLE), Lines(answers, Style.ANSWER)]] if answers else []
    return Document([*sections, *recap, last])


def _answers(section: Section) -> list[str]:
    """`one-core · nginx leaves Go 46 % of its throughput.`"""
    name = next((element.text for element in section if isinstance(element, Heading)), "")
    return [
        f"{name} · {line}"
        for element in section
        if isinstance(element, Lines) and element.style is Style.ANSWER
        for line in element.lines
    ]
