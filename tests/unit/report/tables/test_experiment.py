"""An experiment's table: its rows, and what stands below."""

from __future__ import annotations

import msgspec
import pytest
from samples.records import block, plain_block, plan_of, record
from samples.reports import everything

from hopcost.generators.engine_protocol import Validity
from hopcost.record.run import Ending, Record, Run, StopReason
from hopcost.report.formatting import interval
from hopcost.report.tables.experiment import experiment_tables
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import summarise


def row(content: Record, name: str) -> dict[str, str]:
    (experiment,) = summarise(content)
    made = experiment_tables(experiment)
    (found,) = [cells for cells in made.table.rows if cells[0] == name]
    return dict(zip(made.table.header, found, strict=True))


def test_a_row() -> None:
    assert row(everything(), "behind") == {
        "arm": "behind",
        "answers/s": "4,200",
        "ratio [95%]": row(everything(), "behind")["ratio [95%]"],
        "verdict": "none",
        "CPU ratio [95%]": row(everything(), "behind")["CPU ratio [95%]"],
        "CPU verdict": "dearer",
        "proxy µs": "119.0",
        "app µs": "47.6",
        "p50 µs": "2,001",
        "p99 µs": "> 30,015",
        "errors": "3,600 status, 6 timeout",
    }
    # 0.398010, 0.440000, 0.420000 to means of 1005, 1000 and 995 answers: the logs' mean gives 0.4199.
    assert row(everything(), "behind")["ratio [95%]"].startswith("0.420 [0.362, ")


def test_the_baseline_and_what_is_absent() -> None:
    assert row(everything(), "direct")["ratio [95%]"] == "1 (baseline)"
    beside = row(everything(), "beside")
    assert beside["proxy µs"] == "–"


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (None, "–"),
        (Interval(value=0.39749, low=0.3915, high=0.4025), "0.397 [0.392, 0.403]"),
        (Interval(value=1, low=None, high=None), "1.000 [no interval]"),
        (Interval(value=1.5, low=None, high=2.0), "1.500 [no interval]"),
    ],
)
def test_an_interval_in_words(ratio: Interval | None, shown: str) -> None:
    assert interval(ratio) == shown


def test_without_published_figures_there_is_no_column_for_them() -> None:
    plan = plan_of()
    plan = msgspec.structs.replace(
        plan, experiments=[msgspec.structs.replace(plan.experiments[0], published=[], control=None)]
    )
    (experiment,) = summarise(record(plain_block(0), plan=plan))
    made = experiment_tables(experiment)
    assert "article's ratio" not in made.table.header
    assert made.published is None


def below(content: Record) -> list[str]:
    (experiment,) = summarise(content)
    return experiment_tables(experiment).notes.lines


def test_equal_answers_are_said_in_one_line() -> None:
    assert "every arm answers with 141 header bytes and 12 body bytes" in below(record(plain_block(0)))


def test_errors_take_the_verdict_away() -> None:
    lines = below(everything())
    assert "behind had errors: its ratio counts correct answers only" in lines
    assert not any(line.startswith("direct had errors") for line in lines)


def test_the_width_reached_is_the_widest_of_all_arms() -> None:
    narrow, wide = plain_block(0), plain_block(1, behind=440)
    assert "2 blocks, ratios to ±40.2% at the widest; stopped: all 6 blocks are done" in below(record(narrow, wide))


def test_a_single_block_is_one_start() -> None:
    assert "1 block, from one start; stopped: all 6 blocks are done" in below(record(plain_block(0)))


def ended(why: StopReason, detail: str) -> Run:
    endings = [Ending(experiment="cost", why=why, detail=detail)]
    return Run(format=1, hopcost="0.1.0", command=[], started_utc="", ended_utc="", endings=endings)


def test_an_experiment_that_failed_says_why_even_without_arms() -> None:
    """The baseline failed at once: there is no row, and the reason is all there is."""
    void = block(0, validity=Validity.VOID, reasons=("the baseline direct failed: no",))
    lines = below(record(void, run=ended(StopReason.FAILED, "the baseline failed")))
    assert lines == ["no result: the baseline failed", "void: block 1: the baseline direct failed: no"]
