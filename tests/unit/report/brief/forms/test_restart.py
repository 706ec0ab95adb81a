"""Restarts in short: a row for each stack, the gap in a sentence, what failed and why."""

from __future__ import annotations

import msgspec
from samples.blocks import MS, block, part, slice_of
from samples.records import record
from samples.reports import rendered
from samples.sweeps import plan_with, planned

from hopcost.plan.turns import Turns
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.restart import RestartedCopy, RestartRun
from hopcost.record.contents.run import Record
from hopcost.report.brief.forms.restart import restart_cautions, restart_sentence, restart_table
from hopcost.report.notes.scope import scope_lines
from hopcost.statistics.summary.summary import ExperimentSummary, summarise
from hopcost.suites.experiments.restart import Restart

RUN = RestartRun(
    rate_per_s=200.0,
    copies=[RestartedCopy("app", stopping_ns=10 * MS, starting_ns=290 * MS)],
    visits=500,
    failed={},
    longest_gap_ns=12 * MS,
    sent=1000,
    answers=1000,
    errors={},
)


def restarted(name: str, **changes: object) -> ArmBlock:
    own = part(slice_of(name, 1))
    own.slices, own.totals, own.warm_up = [], None, None
    own.restarted = msgspec.structs.replace(RUN, **changes)
    return own


def start(number: int, gap_ms: int) -> Block:
    alone = {"failed": {"refused": 30, "cut off": 1}, "errors": {"connect": 99, "read": 4}}
    return block(
        number,
        restarted("direct", longest_gap_ns=gap_ms * MS, **alone),
        restarted("behind"),
        restarted("direct-aa", longest_gap_ns=gap_ms * MS, **alone),
    )


def content() -> Record:
    plan = plan_with(planned(turns=Turns.WHOLE, restart=Restart(program="app", rate_per_s=200.0)))
    return record(*(start(number, gap_ms) for number, gap_ms in enumerate((300, 310, 400))), plan=plan)


def summary() -> ExperimentSummary:
    (experiment,) = summarise(content())
    return experiment


def test_the_sentence_has_the_longest_gap_of_each_stack() -> None:
    assert restart_sentence(summary()) == (
        "Longest time without an answer while app restarts: direct 400 ms, behind 12.0 ms."
    )


def test_a_row_has_means_and_the_gap_in_the_middle() -> None:
    assert restart_table(summary()).rows == [
        ["direct", "300 ms", "31 of 500", "310 ms", "400 ms", "4 of 1,000"],
        ["behind", "300 ms", "0 of 500", "12.0 ms", "12.0 ms", "0 of 1,000"],
    ]


def test_below_it_stand_kinds_of_failures_and_the_load() -> None:
    assert restart_cautions(summary()) == [
        "Of the failed visits: 90 refused, 3 cut off.",
        "3 starts of each stack, 200 requests/s on 32 connections; no verdicts.",
    ]


def test_a_load_that_ended_too_early_changes_the_reading() -> None:
    early = content()
    for arm in early.blocks[0].arms:
        arm.notes = ["the offered load ended before the last restart did"]
    (experiment,) = summarise(early)
    assert restart_cautions(experiment)[0] == "! direct: the offered load ended before the last restart did"


def test_nothing_is_said_of_ranges_or_of_errors() -> None:
    assert scope_lines([summary()]) == []


def test_all_formats_show_it() -> None:
    assert "Longest time without an answer" in rendered("text", content())
    assert '"longest_gap_ns": 400000000' in rendered("json", content())
