"""Claims as text, Markdown and JSON, to the last byte."""

from __future__ import annotations

import json

import golden
from samples.claims import judged

from hopcost.report import Format, render
from hopcost.report.tables.claims import claims_report


def test_as_text() -> None:
    golden.compare("questions/claims.txt", render(claims_report(judged()), Format.TEXT))


def test_as_markdown() -> None:
    made = render(claims_report(judged()), Format.MARKDOWN)
    golden.compare("questions/claims.md", made)
    assert "A proxy costs \\| much." in made


def test_as_json() -> None:
    made = render(claims_report(judged()), Format.JSON)
    golden.compare("questions/claims.json", made)
    assert [each["outcome"] for each in json.loads(made)] == ["holds", "does not hold", "not testable here"]
