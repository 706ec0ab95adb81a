"""`hopcost gate --against history` on the page, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import golden
import pytest
from samples.questions.histories import CALM, kept, series

from hopcost.errors import UsageError
from hopcost.report import Format, render
from hopcost.report.questions.history.newest import history_gate_report
from hopcost.report.questions.history.newest.answer import HistoryGate, gate_newest
from hopcost.report.questions.history.newest.document import append, last_line, sentence
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.questions.gate.figures import GateFigures


def answer(
    ratio: float, margin: float = 0.1, *, days: int = 12, reason: str | None = None, cautions: tuple[str, ...] = ()
) -> HistoryGate:
    """Of so many calm days, then one record whose throughput has this ratio; its CPU stays."""
    records = [*(kept(day) for day in range(days)), kept(days, cautions=cautions)]
    by_figure = {
        THROUGHPUT: [series(records, [*CALM[:days], ratio])],
        CPU: [series(records, [*CALM[:days], 0.46], CPU)],
    }
    reasons = {} if reason is None else {THROUGHPUT: reason}
    return gate_newest("nginx-go/one-core/nginx", by_figure, margin, GateFigures.BOTH, lambda _: reasons)


def page(gate: HistoryGate, format: Format = Format.TEXT) -> str:
    return render(history_gate_report(gate), format)


@pytest.mark.parametrize(
    ("name", "ratio"),
    [("passed", 0.46), ("failed", 0.35), ("open", 0.46 / 1.09)],
)
def test_the_page_to_the_last_byte(name: str, ratio: float) -> None:
    golden.compare(f"questions/history/gate/{name}.txt", page(answer(ratio)))


@pytest.mark.parametrize(("format", "ending"), [(Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_other_formats_to_the_last_byte(format: Format, ending: str) -> None:
    golden.compare(f"questions/history/gate/open.{ending}", page(answer(0.46 / 1.09), format))


def test_the_sentence_says_the_bound_that_decides() -> None:
    assert sentence(answer(0.46)).startswith("At most ") and "% slower" in sentence(answer(0.46))
    assert sentence(answer(0.35)).startswith("At least ")


def test_an_open_one_says_how_many_records_would_settle_it() -> None:
    words = sentence(answer(0.46 / 1.085))
    assert "One record cannot settle it" in words and "About " in words
    assert "too close to the limit" in sentence(answer(0.46 / 1.1))


def test_too_few_records_and_reasons_of_the_record_are_told() -> None:
    assert sentence(answer(0.46, days=2)) == "No verdict: fewer than 3 records stand before it."
    assert "the load generator was full" in sentence(answer(0.46, reason="the load generator was full"))
    assert "no verdict" in page(answer(0.46, days=2))


def test_a_stretch_that_began_worse_and_cautions_are_told() -> None:
    days = range(18)
    ratios = [*CALM, *(0.85 * ratio for ratio in CALM[:6])]
    records = [kept(day, cautions=("disturbed",) if day == 17 else ()) for day in days]
    by_figure = {THROUGHPUT: [series(records, ratios)], CPU: [series(records, ratios, CPU)]}
    gate = gate_newest("a/b/c", by_figure, 0.1, GateFigures.BOTH, lambda _: {})
    words = " ".join(page(gate).split())
    assert "! The newest record: disturbed" in words
    assert "is slower since 2026-09-13" in words and "needs less CPU" not in words


def test_the_data_says_what_the_page_says() -> None:
    content = json.loads(page(answer(0.46 / 1.085), Format.JSON))
    assert (content["outcome"], content["exit_code"], content["against"]) == ("not settled", 4, "history")
    throughput = content["figures"][0]
    assert throughput["stretch"]["records"] == 12 and throughput["records_to_settle"] > 1
    assert 0 < throughput["spread_between_records"] < 0.05
    without = json.loads(page(answer(0.46, days=2), Format.JSON))
    assert without["figures"][0]["stretch"] is None


def test_the_summary_of_a_job_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    append(answer(0.46), path)
    assert path.read_text().startswith("before\n") and "PASSED" in path.read_text()
    with pytest.raises(UsageError, match="GITHUB_STEP_SUMMARY"):
        append(answer(0.46), tmp_path)


def test_the_last_line_has_the_exit_code() -> None:
    assert "gate failed (exit code 1)" in last_line(answer(0.35))


def test_no_line_is_wider_than_80_columns() -> None:
    for ratio in (0.46, 0.35, 0.43):
        assert max(map(len, page(answer(ratio)).splitlines())) <= 80
