"""A long report ends with its answers: what has scrolled out of the screen is not looked at."""

from __future__ import annotations

from hopcost.report.document import Document, Heading, Lines, Section, Style


def with_answers_last(document: Document) -> Document:
    """The same with all answers once more, in short, before its last section."""
    answers = [line for section in document.sections for line in _answers(section)]
    if not answers:
        return document
    recap: Section = [Heading("In short"), Lines(answers, Style.ANSWER)]
    return Document([*document.sections[:-1], recap, *document.sections[-1:]])


def _answers(section: Section) -> list[str]:
    """`one-core · nginx leaves Go 46 % of its throughput.`"""
    name = next((element.text for element in section if isinstance(element, Heading)), "")
    return [
        f"{name} · {line}"
        for element in section
        if isinstance(element, Lines) and element.style is Style.ANSWER
        for line in element.lines
    ]
