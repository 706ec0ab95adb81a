"""The table of bars: what stands in which column."""

from __future__ import annotations

import msgspec
import pytest
from samples.comparisons import six_blocks, summary
from samples.records import plan_of

from hopcost.record.contents.block import Failure
from hopcost.report.brief import load as load_module
from hopcost.report.brief import table
from hopcost.report.brief.answer import sentence
from hopcost.report.brief.load import FULL_LOAD, load_shown, median_line
from hopcost.report.brief.table import bars_of
from hopcost.report.document import Bar


def test_the_baseline_comes_first_and_fills_its_bar() -> None:
    bars = bars_of(summary(six_blocks(0.5, 0.0005, open_loop=False)), FULL_LOAD)
    assert bars.header == ["", "req/s", "of the app", "", "CPU per request", "", ""]
    assert bars.above == ["", "throughput, full load", "", "", "at full load", "", ""]
    first, second = bars.rows
    assert (first.label, first.before, first.bar, first.after) == (
        "direct", ["100,000"], Bar(1, 1, 1), ["100 %", "", "10 µs", "", ""],
    )  # fmt: skip
    assert second.label == "behind" and second.after[0] == "50 %" and second.after[2] == "+12.0 µs"
    assert second.after[4] == "", "all are slower: the sentence says so"


def test_a_stack_that_failed_early_does_not_contradict_its_share() -> None:
    """The machine was half as fast in the starts that it has."""
    whole = summary(six_blocks(0.5, 0.0005, open_loop=False))
    slower = [
        msgspec.structs.replace(arm, throughput_per_s=25_000.0) if arm.name == "behind" else arm for arm in whole.arms
    ]
    failure = Failure(arm="behind", message="it ended", hint=None)
    for failures, shown in (([], ("25,000",)), ([failure], ("50,0", "49,9"))):
        experiment = msgspec.structs.replace(whole, arms=slower, failures=failures)
        assert bars_of(experiment, FULL_LOAD).rows[1].before[0].startswith(shown)


@pytest.mark.parametrize(
    ("full", "share"), [({"direct"}, "≤50 %"), ({"behind"}, "≥50 %"), ({"direct", "behind"}, "50 %"), (set(), "50 %")]
)
def test_a_share_is_a_bound_if_the_generator_was_full_for_one_of_the_two(full: set[str], share: str) -> None:
    whole = summary(six_blocks(0.5, 0.0005, open_loop=False))
    arms = [
        msgspec.structs.replace(arm, throughput_is_a_bound=arm.name in full, baseline_is_a_bound="direct" in full)
        for arm in whole.arms
    ]
    experiment = msgspec.structs.replace(whole, arms=arms)
    assert [row.after[0] for row in bars_of(experiment, FULL_LOAD).rows] == ["100 %", share]
    assert f"{share} of its throughput" in sentence(experiment)


def test_with_an_offered_load_the_cpu_and_the_response_times_are_of_that_load() -> None:
    experiment = summary(six_blocks(0.5, 0.0005), plan_of(quick=False))
    bars = bars_of(experiment, load_shown(experiment))
    assert bars.header == ["", "100 % = 100,000/s", "", "CPU per request", "", "median response", "", ""]
    assert bars.above == ["", "throughput, full load", "", "at 5,000 requests/s for each", "", "", "", ""]
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
    monkeypatch.setattr(table, "LINE", 40)
    experiment = summary(six_blocks(0.5, 0.0005), plan_of(quick=False))
    load = load_shown(experiment)
    assert bars_of(experiment, load).header[1] == "req/s"
    assert median_line(experiment, load).startswith("Median response time at 5,000/s: the app 300 µs; behind +50")


@pytest.mark.parametrize(("stacks", "ending"), [(4, "stack-3 +1 µs."), (5, "stack-4 +1 µs (3 more: --details=load).")])
def test_the_line_of_response_times_names_all_of_four_and_says_how_many_more(
    stacks: int, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = summary(six_blocks(0.5, 0.0005), plan_of(quick=False))
    (behind,) = [arm for arm in experiment.arms if arm.name == "behind"]
    arms = [msgspec.structs.replace(behind, name=f"stack-{number}") for number in range(stacks)]
    monkeypatch.setattr(load_module, "others_of", lambda _: arms)
    monkeypatch.setattr(load_module, "median_parts", lambda *_: ("+1 µs", ""))
    line = median_line(experiment, load_shown(experiment))
    assert line.endswith(ending) and line.count("stack-") == (4 if stacks == 4 else 2)
