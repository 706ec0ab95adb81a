"""Reports: one golden file per format, and records without an end or without blocks."""

from __future__ import annotations

import golden
import pytest
from samples.blocks import plain_block
from samples.records import record
from samples.reports import everything, rendered

from hopcost.record.contents.run import Run


@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_golden(format: str) -> None:
    golden.compare(f"report/report.{format}", rendered(format, everything()))


@pytest.mark.parametrize("format", ["txt", "md", "json"])
def test_the_same_record_gives_the_same_report(format: str) -> None:
    assert rendered(format, everything()) == rendered(format, everything())


def test_a_run_that_was_killed_says_so() -> None:
    run = Run(format=1, hopcost="0.1.0", command=[], started_utc="2025-01-02T03:04:05Z")
    for format in ("txt", "md"):
        assert "interrupted: results so far" in rendered(format, record(plain_block(0), run=run))
        assert "interrupted: results so far" not in rendered(format, record(plain_block(0)))


@pytest.mark.parametrize("format", ["txt", "md"])
def test_a_record_without_blocks_names_the_experiment_and_has_no_table(format: str) -> None:
    content = rendered(format, record())
    assert "What does the proxy cost?" in content
    assert "answers/s" not in content
