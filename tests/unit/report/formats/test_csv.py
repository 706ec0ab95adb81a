"""CSV: a row for each figure, that a data frame reads and a spreadsheet does not compute."""

from __future__ import annotations

import csv as reader
import io

import golden
import msgspec
import pytest
from samples.blocks import sound_block
from samples.questions.claims import judged
from samples.records import record
from samples.reports import everything, rendered
from samples.sweeps import peer_run, plan_with, planned, repeat, soak_block, soak_plan, sweep

from hopcost.record.contents.run import Record
from hopcost.report import Cell, Format, Result, render
from hopcost.report.document import Document
from hopcost.report.questions.claims import claims_report
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.articles.published import Protocol
from hopcost.suites.peer_name import PeerName

Found = dict[str, str]


def rows(content: Record) -> list[Found]:
    return list(reader.DictReader(io.StringIO(rendered("csv", content))))


def row_of(content: Record, arm: str, figure: str, load_per_s: str = "") -> Found:
    (match,) = [
        row for row in rows(content) if (row["arm"], row["figure"], row["load_per_s"]) == (arm, figure, load_per_s)
    ]
    return match


def test_golden() -> None:
    content = everything()
    golden.compare("report/report.csv", rendered("csv", content))


def test_every_figure_of_an_arm_at_a_load_has_one_row() -> None:
    for content in (everything(), record(sound_block(0), sound_block(1)), sweep()):
        keys = [
            (row["experiment"], row["arm"], row["baseline"], row["figure"], row["load_per_s"]) for row in rows(content)
        ]
        assert len(set(keys)) == len(keys)


def test_what_the_report_says_of_an_arm_stands_there_whole() -> None:
    content = everything()
    (experiment,) = summarise(content)
    behind = experiment.arms[1]
    assert behind.ratio is not None
    row = row_of(content, "behind", "throughput")
    assert (row["value"], row["unit"], row["blocks"]) == ("4200.0", "1/s", "3")
    assert [float(row[key]) for key in ("ratio", "low", "high")] == [
        behind.ratio.value, behind.ratio.low, behind.ratio.high,
    ]  # fmt: skip
    assert (row["verdict"], row["size"]) == ("no verdict", "")
    assert row["no_verdict"] == "3606 errors: timeout 6, status 3600"
    assert float(row_of(content, "behind", "cpu_per_request")["value"]) == 119_048 + 47_619
    assert row_of(content, "behind", "service_p99")["at_least"] == "true"
    assert row_of(content, "behind", "errors:status")["value"] == "3600"
    assert row_of(content, "behind", "published_throughput")["ratio"] == "0.25"
    assert row_of(content, "behind", "hop_cost:proxy:cpu")["value_low"].startswith("104649.0")


def test_the_floor_is_a_row_of_the_a_a_arm() -> None:
    content = everything()
    (experiment,) = summarise(content)
    assert experiment.aa_floor is not None
    assert float(row_of(content, "direct-aa", "throughput")["ratio"]) == experiment.aa_floor.value


def test_absent_is_empty_and_never_0() -> None:
    row = row_of(everything(), "beside", "cpu_per_request")
    assert (row["ratio"], row["low"], row["load_per_s"], row["point"]) == ("", "", "", "")
    assert row_of(everything(), "direct", "throughput")["verdict"] == ""


def test_an_offered_load_has_rows_of_its_own() -> None:
    content = record(*(sound_block(number) for number in range(3)))
    assert float(row_of(content, "behind", "cpu_per_request", "5000")["ratio"]) == pytest.approx(1.0)
    assert row_of(content, "behind", "response_p50", "5000")["verdict"] == "not settled"
    assert row_of(content, "behind", "answered", "5000")["value"] == "1.0"


def test_points_repeats_and_soaks() -> None:
    assert {(row["experiment"], row["point"]) for row in rows(sweep())} == {("cost@10", "10"), ("cost@1000", "1000")}
    protocol = Protocol(peer=PeerName.WRK, duration_s=30, repeats=1)
    plan = plan_with(planned(as_published=protocol))
    content = record(plan=plan, repeats=[repeat("direct", 0, peer_run(1000)), repeat("behind", 0, peer_run(250))])
    assert row_of(content, "behind", "repeats_throughput")["ratio"] == "0.25"
    plan = soak_plan()
    content = record(*(soak_block(number, 400, 2**20) for number in range(4)), plan=plan)
    assert float(row_of(content, "behind", "soak:ratio")["value"]) == pytest.approx(1.0)


@pytest.mark.parametrize("evil", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=cmd|"/c calc"!A1'])
def test_nothing_out_of_a_file_is_a_formula(evil: str) -> None:
    content = everything()
    content = msgspec.structs.replace(content, plan=msgspec.structs.replace(content.plan, suite=evil))
    written = {row["suite"] for row in rows(content)}
    assert len(written) == 1
    assert written.pop().startswith("'"), evil


def written(*rows: list[Cell]) -> str:
    return render(Result(document=lambda: Document([]), data=lambda: None, rows=lambda: rows), Format.CSV)


def test_a_quotation_mark_a_comma_and_a_line_end_stay_in_their_cell() -> None:
    text = written(["a", "b"], ['x"y, z', "two\nlines"])
    assert list(reader.reader(io.StringIO(text)))[1] == ['x"y, z', "two\nlines"]
    assert "\x1b" not in written(["a"], ["\x1b[2J"])


def test_claims_have_a_row_for_each_comparison() -> None:
    data = list(reader.DictReader(io.StringIO(render(claims_report(judged()), Format.CSV))))
    assert [row["claim"] for row in data] == ["costs-much", *["level-without-errors"] * 3, "not-here"]
    assert [row["outcome"] for row in data] == [
        "holds", "does not hold", "does not hold", "holds", "not testable here",
    ]  # fmt: skip
    assert data[0]["claim_outcome"] == "holds" and float(data[0]["measured"]) < 0.5
    assert (data[0]["tolerance"], data[1]["tolerance"]) == ("", "0.05")
