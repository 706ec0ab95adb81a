"""The text report: nothing steers the terminal, and a narrow one leaves nothing out."""

from __future__ import annotations

import re

import pytest
from samples.reports import everything, failing, rendered

from hopcost.report import text
from hopcost.report.document import Table
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise


@pytest.mark.parametrize("format", ["txt", "md"])
def test_a_terminal_is_not_steered_by_what_programs_print(format: str) -> None:
    content = rendered(format, failing("its last lines:\n\x1b]0;title\x07\x1b[2J\x1b[31mred\x9b31m\x00\rgone\b\x7f"))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", content)
    assert "red" in content and "gone" in content


def test_text_is_plain_even_where_colours_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many CI machines set FORCE_COLOR; the report goes into a file all the same."""
    plain = rendered("txt", everything())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "40")
    assert rendered("txt", everything()) == plain


def test_a_narrow_terminal_leaves_nothing_out() -> None:
    """rich would drop the columns that do not fit, and shorten headings to a letter."""
    content = everything()
    document = record_report(content, summarise(content)).document()
    narrow = text.text(document, width=40)
    tables = [element for section in document.sections for element in section if isinstance(element, Table)]
    assert len(tables) > 1
    for table in tables:
        for cells in table.rows:
            assert any(all(cell in line for cell in cells) for line in narrow.splitlines()), cells
        for heading in table.header:
            assert all(word in narrow for word in heading.split()), heading


def test_text_takes_words_in_brackets_for_words() -> None:
    """rich's own markup."""
    assert "[bold red]x[/] [link=http://x]y" in rendered("txt", failing("[bold red]x[/] [link=http://x]y"))


@pytest.mark.parametrize("message", ["", "\n", "\n\n"])
@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_a_failure_without_words_is_still_a_failure(format: str, message: str) -> None:
    assert "behind" in rendered(format, failing(message))
