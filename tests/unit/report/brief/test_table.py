"""The table of bars: what stands in which column."""

from __future__ import annotations

import pytest
from samples.comparisons import six_blocks, summary
from samples.records import plan_of

from hopcost.report.brief import table
from hopcost.report.brief.load import FULL_LOAD, load_shown, median_line
from hopcost.report.brief.table import bars_of
from hopcost.report.document import Bar


def test_the_baseline_comes_first_and_fills_its_bar() -> None:
    bars = bars_of(summary(six_blocks(0.5, 0.0005, open_loop=False)), FULL_LOAD)
    assert bars.header == ["", "req/s", "of the app", "", "CPU at full load", "", ""]
    first, second = bars.rows
    assert (first.label, first.before, first.bar, first.after) == (
        "direct", ["100,000"], Bar(1, 1, 1), ["100 %", "", "10 µs", "", ""],
    )  # fmt: skip
    assert second.label == "behind" and second.after[0] == "50 %" and second.after[2] == "+12.0 µs"
    assert second.after[4] == "", "all are slower: the sentence says so"


def test_with_an_offered_load_the_cpu_and_the_response_times_are_of_that_load() -> None:
    found = summary(six_blocks(0.5, 0.0005), plan_of(quick=False))
    bars = bars_of(found, load_shown(found))
    assert bars.header == ["", "of the app's 100,000/s", "", "CPU at 5,000/s", "", "median there", "", ""]
    first, second = bars.rows
    assert first.before == [] and first.after[2:6] == ["20 µs", "", "300 µs", ""]
    assert second.after[2] == "+40 µs" and second.after[4].startswith("+50")


def test_bars_have_a_common_scale_and_a_mark_where_outcomes_differ() -> None:
    bars = bars_of(summary(six_blocks(1.5, 0.0005, open_loop=False)), FULL_LOAD)
    high = bars.rows[1].bar
    assert high is not None and high.most == high.high > 1.49
    unsettled = bars_of(summary(six_blocks(1.0, 0.1, open_loop=False)), FULL_LOAD)
    assert unsettled.rows[1].after[4] == "?"


def test_wide_response_times_are_a_line_and_leave_the_bars_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST_WIDTH", 40)
    found = summary(six_blocks(0.5, 0.0005), plan_of(quick=False))
    load = load_shown(found)
    assert bars_of(found, load).header[1] == "req/s"
    assert median_line(found, load).startswith("Median response time at 5,000/s: the app 300 µs; behind +50")
