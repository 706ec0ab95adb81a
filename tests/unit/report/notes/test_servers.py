"""Reports of running servers: batches in place of starts, what a restart may do, and what was not compared."""

from __future__ import annotations

import dataclasses
import itertools

import golden
import msgspec
import pytest
from samples.servers import batch, found, plan_of_servers, record_of_servers, server_part

from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan
from hopcost.record.contents.run import Record
from hopcost.report import Format, Part, render
from hopcost.report.notes import servers
from hopcost.report.notes.scope import of_servers
from hopcost.report.notes.servers import freezing_lines, scope_sentence, server_cautions, turn_connections
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import ExperimentSummary, summarise
from hopcost.suites.experiments.expect import Compared

SLOWER = (800, 804, 796, 801)


def recorded(plan: Plan, others: tuple[int, ...] = SLOWER, cpu_ns: int | None = 500_000_000) -> Record:
    """A batch for each number of answers of the second server; the first has 1,000 a second."""
    first, second = (arm.name for arm in plan.experiments[0].arms if arm.copy_of is None)
    return record_of_servers(
        plan,
        *(
            batch(
                number,
                server_part(first, 1000 + number % 2, cpu_ns=cpu_ns),
                server_part(second, answers, cpu_ns=cpu_ns),
                server_part(f"{first}-aa", 1001 - number % 2, copy_of=first, cpu_ns=cpu_ns),
            )
            for number, answers in enumerate(others)
        ),
    )


def summary_of(plan: Plan, **more: int | None) -> ExperimentSummary:
    return summarise(recorded(plan, **more))[0]  # type: ignore[arg-type]


def text(record: Record, *parts: Part) -> str:
    return render(record_report(record, summarise(record), parts), Format.TEXT)


def test_the_report_of_two_servers() -> None:
    record = recorded(plan_of_servers(found(3000, 41), found(4000, 42)))
    golden.compare("report/servers.txt", text(record))
    golden.compare("report/servers-details.txt", text(record, *Part))


def test_no_start_is_named_where_nothing_was_started() -> None:
    record = recorded(plan_of_servers(found(3000, 41), found(4000, 42)))
    whole = text(record, *Part)
    words = whole.replace("--details=starts", "").lower().split()
    assert {word.strip(".,:;()") for word in words}.isdisjoint({"start", "starts", "stack", "stacks"}), whole


def test_the_sentence_says_of_what_it_is() -> None:
    plan = plan_of_servers(found(3000, 41), found(4000, 42))
    (sentence,) = scope_sentence(summary_of(plan))
    assert sentence == "That is as these two processes run now; how much a restart moves it is not measured."
    known = msgspec.structs.replace(plan.experiments[0], restart_spread=0.031)
    (sentence,) = scope_sentence(summary_of(msgspec.structs.replace(plan, experiments=[known])))
    assert sentence == "That is as these two processes run now; a restart may move it by about 3 %."
    (sentence,) = scope_sentence(summary_of(plan_of_servers(found(3000), found(4000)), cpu_ns=None))
    assert sentence.startswith("That is as these two servers run now")


@pytest.mark.parametrize(
    ("ports", "compared", "words"),
    [
        (
            ((3000, 41), (4000, 41)),
            Compared.BODY,
            ["localhost:3000 and localhost:4000 are served by the same processes."],
        ),
        (((3000, 41), (4000, 42)), Compared.LENGTH, ["Only status and length of the answers are compared."]),
        (((3000, 41), (4000, 42)), Compared.STATUS, ["Only the status of the answers is compared."]),
        (((3000, 41), (4000, 42)), Compared.BODY, []),
    ],
)
def test_cautions(ports: tuple[tuple[int, int], ...], compared: Compared, words: list[str]) -> None:
    plan = plan_of_servers(*itertools.starmap(found, ports), compared=compared)
    assert server_cautions(summary_of(plan)) == words


def test_servers_elsewhere_have_no_cpu_time_and_share_no_core() -> None:
    plan = plan_of_servers(found(3000, is_here=False), found(4000, is_here=False))
    record = recorded(plan, cpu_ns=None)
    shown = " ".join(text(record).split())
    assert "No CPU time of localhost:3000 and localhost:4000: its processes are not known here." in shown
    assert "shares a core" not in shown


def test_not_freezing_has_its_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = summary_of(plan_of_servers(found(3000, 41), found(4000, 42)))
    monkeypatch.setattr(servers, "METHOD", dataclasses.replace(METHOD, not_frozen_bias=0.02))
    (line,) = freezing_lines(experiment)
    assert line.endswith("which moved figures by 2 % in the median of measured pairs")
    frozen = summary_of(plan_of_servers(found(3000, 41, freeze=True), found(4000, 42, freeze=True)))
    assert "(--freeze)" in freezing_lines(frozen)[0]


def test_names_and_options_keep_their_words() -> None:
    assert of_servers("start 2 of localhost:80-start: see --details=starts; 3 stacks.") == (
        "batch 2 of localhost:80-start: see --details=starts; 3 servers."
    )


def test_connections_of_one_turn_are_told_in_a_line() -> None:
    plan = plan_of_servers(found(3000, 41), found(4000, 42))
    assert turn_connections(summary_of(plan)) is None
    reasons = ["gunicorn drops idle ones after 2 s", "node drops idle ones after 5 s"]
    planned = msgspec.structs.replace(plan.experiments[0], opened_each_turn=reasons)
    record = recorded(msgspec.structs.replace(plan, experiments=[planned]))
    sentence = (
        "Connections are opened anew for each turn: gunicorn drops idle ones after 2 s; node drops idle ones after 5 s."
    )
    assert sentence in " ".join(text(record).split())
