"""A sweep in short: a row for each value."""

from __future__ import annotations

import json

import msgspec
import pytest
from samples.pages import swept
from samples.reports import rendered
from samples.sweeps import sweep

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.report.brief.sweep import sentence, sweep_bars, sweep_cautions
from hopcost.statistics.summary.summary import summarise


def test_a_stack_has_a_row_for_each_value() -> None:
    bars = sweep_bars(summarise(swept()))
    assert bars.header == ["connections", "direct req/s", "behind of direct", "", ""]
    assert [row.label for row in bars.rows] == ["10", "100", "1000"]


def test_several_stacks_share_a_table_and_the_first_row_of_each_has_its_name() -> None:
    points = summarise(swept())
    (behind,) = [arm for arm in points[0].arms if arm.name == "behind"]
    both = [
        msgspec.structs.replace(point, arms=[*point.arms, msgspec.structs.replace(behind, name="beside")])
        for point in points
    ]
    bars = sweep_bars(both)
    assert bars.header == ["", "connections", "direct req/s", "of direct", "", ""]
    assert [row.label for row in bars.rows] == ["behind", "", "", "beside", "", ""]
    assert [row.before[0] for row in bars.rows] == ["10", "100", "1000"] * 2


def test_what_disturbed_every_start_is_the_first_of_what_changes_the_reading() -> None:
    content = swept()
    for start in content.blocks:
        start.validity, start.reasons = Validity.SUSPECT, [Reason(ReasonKind.OTHER_PROGRAMS, value=0.08)]
    entries = sweep_cautions(content, summarise(content))
    (important,) = [entry for entry in entries if entry[0].startswith("! ")]
    assert important[0].startswith("! In all 12 server starts other programs used 8 % of the CPU")


def test_the_sentence_has_the_first_and_the_last_value() -> None:
    assert sentence(summarise(swept())).startswith("Of the app's throughput: behind 40")
    assert " at connections 1000." in sentence(summarise(swept()))


def test_what_holds_at_one_value_names_it() -> None:
    content = sweep()
    lines = sweep_cautions(content, summarise(content))
    assert " ".join(lines[0]) == "? no verdict on any: only one server start, 2 are needed; give it more --time"


def test_a_value_without_any_stack_is_told() -> None:
    content = sweep()
    content = msgspec.structs.replace(content, blocks=content.blocks[:1])
    bars = sweep_bars(summarise(content))
    assert [row.label for row in bars.rows] == ["10"]


def test_json_keeps_an_entry_for_each_point() -> None:
    experiments = json.loads(rendered("json", sweep()))["experiments"]
    assert [experiment["point"]["value"] for experiment in experiments] == [10, 1000]
    assert experiments[0]["arms"][1]["cpu_percent"] == pytest.approx(70)
