"""Lines of Markdown: at most 100 characters, with the same meaning."""

from __future__ import annotations

from tools import markdown

WORDS = "word " * 40


def test_paragraphs_and_items_are_broken_and_their_lines_indented() -> None:
    filled = markdown.fill(f"{WORDS}\n\n- {WORDS}\n  1. {WORDS}")
    lines = filled.splitlines()
    assert max(map(len, lines)) <= 100
    assert (
        lines[0].startswith("word")
        and lines[2] == ""
        and lines[3].startswith("- word")
        and lines[4].startswith("  word")
    )
    assert "  1. word" in filled and "\n     word" in filled
    assert filled.split() == f"{WORDS} - {WORDS} 1. {WORDS}".split()


def test_short_lines_of_a_paragraph_are_joined() -> None:
    assert markdown.fill("one\ntwo\n\nthree\n") == "one two\n\nthree\n"


def test_code_tables_headings_and_html_stay_as_they_are() -> None:
    page = (
        f"# {WORDS}\n\n```text\n{WORDS}\na\n```\n\n    {WORDS}\n    b\n\n| {WORDS}|\n| --- |\n\n<details>\n<summary>"
        f"{WORDS}</summary>\n\n> quoted\n> twice\n"
    )
    assert markdown.fill(page) == page


def test_no_line_begins_with_what_would_make_it_an_item_or_a_heading() -> None:
    for mark in ("-", "+", "#", "7."):
        lines = markdown.fill(f"{'x' * 98} a {mark} b").splitlines()
        assert lines == ["x" * 98, f"a {mark} b"]


def test_filling_twice_changes_nothing() -> None:
    once = markdown.fill(f"{WORDS}\n- {WORDS}\n\n  {WORDS}\n")
    assert markdown.fill(once) == once
