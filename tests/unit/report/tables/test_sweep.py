"""A sweep is one table, with a row for each value."""

from __future__ import annotations

import json

import msgspec
import pytest
from samples.records import MS, block, part, plan_of, record, slice_of
from samples.reports import rendered
from samples.sweeps import at, peer_run, plan_with, planned, point, sweep, tables_of

from hopcost.plan.turns import Turns
from hopcost.report import text
from hopcost.report.record_report import document
from hopcost.report.tables import experiment
from hopcost.statistics.summary.summary import summarise


def test_a_sweep_is_one_table_with_each_value_once() -> None:
    tables = tables_of(sweep())
    assert tables.title == "cost"
    assert tables.table.header == [
        "connections", "arm", "answers/s", "ratio [95%]", "verdict", "CPU µs", "CPU %", "errors",
        "article's requests/s", "its ratio", "its CPU %", "its errors",
    ]  # fmt: skip
    # behind: 50 + 20 ms of 100 ms on one core is 70 %, for 400 answers 175 µs each, for 200 350 µs.
    assert tables.table.rows == [
        ["10", "direct", "10,000", "1 (baseline)", "–", "40.0", "40", "0", "2,000", "1.00", "70", "0"],
        ["", "behind", "4,000", "0.400 [0.153, 1.045]", "none", "175.0", "70", "0", "500", "0.25", "–", "0"],
        ["1000", "direct", "10,000", "1 (baseline)", "–", "40.0", "40", "0", "1,000", "1.00", "–", "7 connect"],
        [
            "",
            "behind",
            "2,000",
            "0.200 [0.077, 0.523]",
            "none",
            "350.0",
            "70",
            "3 timeout",
            "–",
            "–",
            "–",
            "error",
        ],
    ]


def test_what_holds_at_one_value_says_so() -> None:
    tables = tables_of(sweep())
    assert "at 1000: behind had errors: its ratio counts correct answers only" in tables.notes.lines
    assert "every arm answers with 141 header bytes and 12 body bytes" in tables.notes.lines
    assert any("10: 1.000 [0.467, 2.140]; 1000: 1.000 [0.467, 2.140]" in line for line in tables.notes.lines)


def test_a_value_without_any_arm_keeps_its_row() -> None:
    content = sweep()
    tables = tables_of(msgspec.structs.replace(content, blocks=content.blocks[:1]))
    assert tables.table.rows[-1][:3] == ["1000", "no result", "–"]


def test_json_keeps_an_entry_for_each_point() -> None:
    experiments = json.loads(rendered("json", sweep()))["experiments"]
    assert [each["point"]["value"] for each in experiments] == [10, 1000]
    assert experiments[0]["arms"][1]["cpu_percent"] == pytest.approx(70)


def test_a_sweep_fits_into_120_columns() -> None:
    lines = text.text(document(sweep(), summarise(sweep())), width=120).splitlines()
    assert any(line.strip().startswith("1000") and line.endswith("7 connect") for line in lines)
    assert max(map(len, lines)) <= 120
    assert "| 1000 | direct |" in rendered("md", sweep())


def test_turns_and_notes_are_said() -> None:
    content = plan_of()
    plan = msgspec.structs.replace(
        content, experiments=[planned(turns=Turns.WHOLE, slice_ns=10_000 * MS, connections_asked=5000)]
    )
    first, second = at(0, 400), at(0, 400)
    for each in (first, second):
        each.experiment = "cost"
        each.arms[1].notes = ["vm.min_free_kbytes: the host's"]
    tables = tables_of(record(first, second, plan=plan))
    assert "note: behind: vm.min_free_kbytes: the host's" in tables.notes.lines
    assert "run with 32 connections, 5000 asked for" in tables.notes.lines
    assert any(
        line.startswith("whole slices: one arm alive at a time, each in runs of 10 s") for line in tables.notes.lines
    )


def test_a_sweep_marks_a_throughput_that_is_a_lower_bound_too() -> None:
    full = at(64, 500)
    for each in full.arms:
        each.slices = [msgspec.structs.replace(one, generator_cpu_ns=one.elapsed_ns) for one in each.slices]
    (tables,) = experiment.tables(summarise(record(full, plan=plan_with(point(64)))))
    answers = [row[tables.table.header.index("answers/s")] for row in tables.table.rows]
    assert answers and all(each.startswith("≥ ") for each in answers)


def test_a_peer_is_named_and_its_counts_are_its_own() -> None:
    each = block(0, part(slice_of("direct", 1)), part(slice_of("direct-aa", 1)))
    for arm in each.arms:
        arm.slices, arm.totals, arm.warm_up, arm.peer = [], None, None, peer_run(3000, {"odd": 4})
    tables = tables_of(record(each))
    assert any("wrk 4.1.0 drove the arms in place of hopcost's engine: counts" in line for line in tables.notes.lines)
    row = dict(zip(tables.table.header, tables.table.rows[0], strict=True))
    assert (row["answers/s"], row["errors"]) == ("3,000", "4 odd")
    assert not any(line.startswith("p50") for line in tables.notes.lines)
