"""The text report: nothing steers the terminal, and a narrow one leaves nothing out."""

from __future__ import annotations

import re

import pytest
from samples.reports import everything, failing, rendered

from hopcost.report import Part
from hopcost.report.document import Bars, Document, Fold, Heading, Lines, Style, Table
from hopcost.report.formats import text
from hopcost.report.formats.text.lines import Layout, Tone
from hopcost.report.record_report import document
from hopcost.statistics.summary.summary import summarise


@pytest.mark.parametrize("format", ["txt", "md"])
def test_a_terminal_is_not_steered_by_what_programs_print(format: str) -> None:
    content = failing("its last lines: red\x9b31m\x00 and\r\x1b]0;title\x07\x1b[2J\x1b[31m gone\b\x7f")
    shown = text.text(document(content, summarise(content), tuple(Part)))
    shown = shown if format == "txt" else rendered(format, content)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert "red" in shown and "gone" in shown


def test_text_is_plain_even_where_colours_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many CI machines set FORCE_COLOR; the report goes into a file all the same."""
    plain = rendered("txt", everything())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "40")
    assert rendered("txt", everything()) == plain


def test_a_narrow_terminal_leaves_nothing_out() -> None:
    content = everything()
    report = document(content, summarise(content), tuple(Part))
    narrow = text.text(report, width=40)
    words = set(re.sub(r"\s+", " ", narrow).split())
    elements = [element for section in report.sections for element in section]
    elements += [inside for element in elements if isinstance(element, Fold) for inside in element.elements]
    cells = [cell for table in elements if isinstance(table, Table) for row in table.rows for cell in row]
    cells += [cell for bars in elements if isinstance(bars, Bars) for row in bars.rows for cell in row.cells]
    assert len(cells) > 60
    assert [cell for cell in cells if not set(cell.split()) <= words] == []


def test_text_takes_words_in_brackets_for_words() -> None:
    """rich's own markup."""
    content = failing("[bold red]x[/] [link=http://x]y")
    assert "[bold red]x[/]" in text.text(document(content, summarise(content)))


@pytest.mark.parametrize("message", ["", "\n", "\n\n"])
@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_a_failure_without_words_is_still_a_failure(format: str, message: str) -> None:
    assert "behind" in rendered(format, failing(message))


def test_colours_say_nothing_that_words_do_not() -> None:
    below = Lines(["! a bias", "? no verdict: because", "~ same", "No errors."], Style.CAUTIONS)
    lines = Layout(80).lines(Document([[Lines(["It is slower."], Style.ANSWER), below]]))
    assert [line.tone for line in lines] == [Tone.ANSWER, Tone.CAUTION, Tone.CAUTION, Tone.QUIET, Tone.QUIET]
    assert [line.text[:3] for line in lines[1:]] == ["  !", "  ?", "  ~", "  N"]


def test_what_a_program_printed_keeps_its_lines() -> None:
    lines = Layout(80).lines(Document([[Lines(["failed: x:\nits first line\n+ added"])]]))
    assert [line.text for line in lines] == ["  failed: x:", "  its first line", "  + added"]


def test_a_closed_fold_is_not_shown() -> None:
    fold = Fold("More", [Lines(["inside"])])
    assert text.text(Document([[Heading("one"), fold]])) == "one\n"
    fold.is_open = True
    assert "More\n  inside" in text.text(Document([[Heading("one"), fold]]))
