"""A long report ends with those of its answers that have scrolled out of the terminal."""

from __future__ import annotations

from hopcost.report.document import Document, Heading, Lines, Section, Style
from hopcost.report.formats.text.lines import Layout

TITLE = "In short (their tables are above)"


def with_answers_last(document: Document, layout: Layout, height: int) -> Document:
    """The same with the answers once more before its last section, as far as a terminal so high does not show them."""
    *sections, last = document.sections
    recap: list[Section] = []
    for hidden in range(len(sections) + 1):  # so many have scrolled out, and the recap takes lines too
        answers = [answer for section in sections[:hidden] for answer in _answers(section)]
        recap = [[Heading(TITLE), Lines(answers, Style.ANSWER)]] if answers else []
        shown = [*sections[hidden:], *recap, last]
        if sum(len(layout.section(section)) + 1 for section in shown) <= height:  # the prompt takes the last line
            break
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
