"""The answer as people read it: lines, columns, words, curves, and what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from known import known
from mocks.queues import ONE_MS, TWO_MS, QueueRig, searched

from hopcost.record import reader
from hopcost.report import Format, render
from hopcost.report.formats.text import text
from hopcost.report.questions.capacity import capacity_report
from hopcost.report.questions.capacity.document import table
from hopcost.report.questions.capacity.words import rate_parts
from hopcost.report.questions.kept import kept_answer
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.result import CapacityResult, CapacityRow, Kind
from tools.truth.sections.capacity.simulated import QueueServer

MOST_LINES, MOST_COLUMNS = 15, 80


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> CapacityResult:
    """Two queues, measured."""
    rig = QueueRig({"base": ONE_MS, "slow": TWO_MS})
    return searched(rig, tmp_path_factory.mktemp("capacity"), 120.0)


def lines(answer: CapacityResult, details: bool = False) -> list[str]:
    whole = text(capacity_report(answer, details=details).document())
    return whole.replace(str(answer.record.path), "records/a").splitlines()


def only(answer: CapacityResult, **change: object) -> CapacityResult:
    """With the first row alone, changed."""
    row: CapacityRow = msgspec.structs.replace(answer.rows[0], **change)
    return msgspec.structs.replace(answer, rows=[row])


def test_it_is_short_and_narrow_and_says_what_is_carried(answer: CapacityResult) -> None:
    shown = lines(answer)
    assert len(shown) <= MOST_LINES + 2  # with the empty lines between sections
    assert all(len(line) <= MOST_COLUMNS for line in shown)
    joined = " ".join(" ".join(shown).split())
    assert re.search(r"slow carries \d+/s \(\d+–\d+\) with p99 below 20 ms; base \d+/s \(\d+–\d+\)\.", joined)
    assert "Poisson arrivals over 64 connections" in joined
    assert any("hopcost report" in line or "--time" in line for line in shown[-2:])


def test_details_draw_the_curve_with_its_knee(answer: CapacityResult) -> None:
    shown = lines(answer, details=True)
    assert all(len(line) <= MOST_COLUMNS for line in shown)
    assert sum("◄ capacity" in line for line in shown) == 2
    assert any("differ by about" in line for line in shown)


def test_a_record_shows_its_answer_again(answer: CapacityResult) -> None:
    again = kept_answer(reader.read_record(answer.record.path))
    assert again is not None
    assert text(again.document()) == text(capacity_report(answer).document())


def test_json_and_csv_have_every_point(answer: CapacityResult) -> None:
    result = capacity_report(answer)
    data = json.loads(render(result, Format.JSON))
    assert [stack["outcome"] for stack in data["stacks"]] == ["measured", "measured"]
    assert data["objectives"][0]["option"] == "p99<20ms"
    assert data["stacks"][0]["capacity_per_s"]["low"] < data["stacks"][0]["capacity_per_s"]["high"]
    rows = render(result, Format.CSV).splitlines()
    assert len(rows) == 1 + sum(len(row.points) for row in answer.rows)


def test_the_page_has_the_answer_and_the_chart(answer: CapacityResult) -> None:
    page = render(capacity_report(answer), Format.HTML)
    assert "slow carries" in page and "response times by offered rate" in page
    figure, ends = rate_parts(known(answer.row("slow").per_s))
    assert f'<td class="before">{figure}</td>' in page and f'<td class="mark">{ends}</td>' in page
    assert '<details id="one/load" open>' in page


def test_markdown_has_the_answer(answer: CapacityResult) -> None:
    assert "**slow carries" in render(capacity_report(answer), Format.MARKDOWN)


def test_the_generators_limit_is_said(answer: CapacityResult) -> None:
    bound = Interval(value=61_000.0, low=61_000.0, high=None)
    shown = " ".join(lines(only(answer, kind=Kind.AT_LEAST, per_s=bound)))
    assert "slow carries at least 61,000/s" in shown and "≥61,000" in shown
    assert "the load generator reached its own limit" in shown


def test_a_wide_range_leaves_the_other_bars_their_length(answer: CapacityResult) -> None:
    wide = msgspec.structs.replace(answer.rows[0], per_s=Interval(value=8000.0, low=300.0, high=250_000.0))
    other = msgspec.structs.replace(answer.rows[1], per_s=Interval(value=4000.0, low=3900.0, high=4100.0))
    bars = [row.bar for row in table(msgspec.structs.replace(answer, rows=[wide, other])).rows]
    assert {known(bar).most for bar in bars} == {12_000.0}


def test_too_few_connections_are_said(answer: CapacityResult) -> None:
    assert "-c 128" in " ".join(lines(only(answer, is_short_of_connections=True)))


def test_streams_are_said(answer: CapacityResult) -> None:
    plan = answer.record.plan
    workload = msgspec.structs.replace(plan.experiments[0].workload, streams=4)
    experiments = [msgspec.structs.replace(plan.experiments[0], workload=workload)]
    record = msgspec.structs.replace(answer.record, plan=msgspec.structs.replace(plan, experiments=experiments))
    joined = " ".join(" ".join(lines(msgspec.structs.replace(answer, record=record))).split())
    assert "Poisson arrivals over 64 connections of 4 streams" in joined


@pytest.mark.parametrize(
    ("kind", "spread", "words"),
    [
        (Kind.NOT_SETTLED, None, "the time was too short; it held 500/s"),
        (Kind.NOT_SETTLED, 0.02, "its probes disagree too much for a range; it held 500/s"),
        (Kind.NOT_OFFERED, None, "could not offer even"),
        (Kind.MISSES_IDLE, None, "holds no rate: almost idle, at"),
    ],
)
def test_no_capacity_says_why(answer: CapacityResult, kind: Kind, spread: float | None, words: str) -> None:
    row = only(answer, kind=kind, per_s=None, held_per_s=500.0, restart_spread=spread)
    shown = " ".join(" ".join(lines(row)).split())
    assert "No capacity: slow" in shown and words in shown


def test_an_idle_server_that_misses_gets_an_objective_that_it_holds(tmp_path: Path) -> None:
    slow = searched(QueueRig({"base": QueueServer(service_s=0.03)}), tmp_path, 60.0, "base")
    shown = " ".join(" ".join(lines(slow)).split())
    assert "base holds no rate: almost idle, at" in shown and "its median is 30" in shown
    assert "-O 'p99<50ms'" in shown
