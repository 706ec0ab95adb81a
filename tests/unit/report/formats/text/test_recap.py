"""The answers of a report that is longer than the terminal, once more at its end."""

from __future__ import annotations

import pytest

from hopcost.report.document import Document, Heading, Lines, Section, Style
from hopcost.report.formats import text
from hopcost.report.formats.text.lines import Layout
from hopcost.report.formats.text.recap import TITLE, with_answers_last

END: Section = [Lines(["record  here", "next    that"], Style.VERSE)]


def experiment(name: str, rows: int) -> Section:
    return [Heading(name, about="Why?"), Lines([f"{name} is it."], Style.ANSWER), Lines(["row"] * rows)]


def report(rows: int) -> Document:
    return Document([[Heading("suite", level=1)], experiment("first", rows), experiment("second", rows), END])


def on_terminal(document: Document, height: int) -> list[str]:
    return text.text(with_answers_last(document, Layout(80), height)).splitlines()


def test_all_answers_stand_before_the_last_section() -> None:
    lines = on_terminal(report(3), 9)
    assert lines[-6:] == [TITLE, "  first · first is it.", "  second · second is it.", "", *lines[-2:]]
    assert lines[:-7] == text.text(report(3)).splitlines()[:-3], "all else is as it was"


def test_they_are_complete_though_one_is_still_on_the_screen() -> None:
    lines = len(text.text(report(3)).splitlines())
    assert TITLE not in on_terminal(report(3), lines + 1)
    assert on_terminal(report(3), lines)[-6:-3] == [TITLE, "  first · first is it.", "  second · second is it."]


def test_without_an_answer_nothing_is_added() -> None:
    document = Document([[Heading("suite", level=1)], END])
    assert with_answers_last(document, Layout(80), 2) == document


@pytest.mark.parametrize(("rows", "repeats"), [(3, False), (30, True)])
def test_only_a_report_that_is_longer_than_the_terminal_repeats_them(
    rows: int, repeats: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setattr("rich.console.Console.height", 24)
    text.show(report(rows), ends_with_answers=True)
    assert capfd.readouterr().out.count("first is it.") == 1 + repeats
