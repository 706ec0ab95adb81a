"""The suite of running servers, what it means here, and what is said of a run that came to nothing."""

from __future__ import annotations

import msgspec
import pytest
from samples.servers import batch, found, plan_of_servers, record_of_servers, server_part

from hopcost.errors import UsageError
from hopcost.measure.blocks.sizing import Sizing
from hopcost.measure.blocks.warm_up import WarmUpPolicy
from hopcost.measure.protocols.versus import run
from hopcost.measure.protocols.versus.answers import Answers
from hopcost.measure.protocols.versus.find import Found, Wishes
from hopcost.measure.protocols.versus.run import (
    Prepared,
    Question,
    prepare,
    prepare_connections,
    versus_suite,
    why_failed,
)
from hopcost.plan.method import METHOD
from hopcost.plan.options import RunOptions
from hopcost.plan.slices import longest_gap_s
from hopcost.plan.turns import Scope
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Ending, StopReason
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.workload import Reopening, Workload

SERVERS = (found(3000, 41), found(4000, 42))


def test_each_server_is_an_arm_and_the_first_runs_twice() -> None:
    plan = plan_of_servers(*SERVERS)
    (planned,) = plan.experiments
    assert [arm.name for arm in planned.arms] == ["localhost:3000", "localhost:4000", "localhost:3000-aa"]
    assert planned.baseline == "localhost:3000" and planned.copy == "localhost:3000-aa"
    assert planned.scope is Scope.PROCESSES and planned.open_loop_shares == [0.25]


def test_slices_are_of_a_second_at_least_and_settled_before() -> None:
    (planned,) = plan_of_servers(*SERVERS).experiments
    assert planned.slice_ns * (1 - planned.slice_jitter) >= 1_000_000_000
    assert planned.settle_ns >= METHOD.min_settle_ns and planned.slice_jitter > 0


def test_two_minutes_hold_four_batches_and_ten_minutes_batches_of_eight_rounds() -> None:
    short, long = plan_of_servers(*SERVERS), plan_of_servers(*SERVERS, time_s=600.0)
    sizes = [
        Sizing(plan, plan.experiments[0]).next(3, 0, plan.time_s, METHOD.min_long_warm_up_ns) for plan in (short, long)
    ]
    assert sizes[0] is not None and sizes[1] is not None
    assert sizes[0].rounds >= 4 and sizes[1].rounds >= METHOD.batch_rounds


def test_servers_are_warmed_up_once() -> None:
    plan = plan_of_servers(*SERVERS)
    policy = WarmUpPolicy(plan, plan.experiments[0])
    assert policy.next(3, 120.0).requests == METHOD.warm_up_requests
    parts = [server_part(arm.name, 1000, copy_of=arm.copy_of) for arm in plan.experiments[0].arms]
    policy.add(batch(0, *parts))
    again = policy.next(3, 90.0)
    assert (again.requests, again.most_ns) == (0, plan.warm_up_least_ns)


def learned(port: int, pid: int, **facts: object) -> Found:
    one = found(port, pid)
    return msgspec.structs.replace(one, server=msgspec.structs.replace(one.server, **facts))


def test_connections_that_cannot_wait_for_their_next_turn_live_for_one() -> None:
    (kept,) = plan_of_servers(*SERVERS).experiments
    assert kept.opened_each_turn == []
    (planned,) = plan_of_servers(SERVERS[0], learned(4000, 42, idle_timeout_s=2.0)).experiments
    assert planned.opened_each_turn == ["node drops idle ones after 2 s"]
    assert planned.open_loop_shares == [0.25]


def test_there_is_no_lower_load_on_a_worker_that_stays_with_an_idle_connection() -> None:
    (planned,) = plan_of_servers(SERVERS[0], learned(4000, 42, blocked_by_idle=63, blocked_by_kept=1)).experiments
    assert planned.opened_each_turn == ["while others are open and idle, node does not answer"]
    assert planned.open_loop_shares == []
    assert "no open loop: beside one connection that it keeps open node answers no others" in planned.notes


@pytest.mark.parametrize(
    ("facts", "connections", "opening"),
    [
        ({}, 64, Reopening.SPREAD),
        ({"keeps_connections": False}, 64, Reopening.BURST),
        ({}, METHOD.max_reopened_connections + 1, Reopening.BURST),
    ],
)
def test_how_they_are_opened_for_a_turn(facts: dict[str, object], connections: int, opening: Reopening) -> None:
    (planned,) = plan_of_servers(SERVERS[0], learned(4000, 42, **facts)).experiments
    workload = msgspec.structs.replace(planned.workload, connections=connections)
    assert msgspec.structs.replace(planned, workload=workload).opening is opening


def test_what_was_learned_of_servers_goes_into_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def learn(servers: list[Found], workload: Workload, gap_s: float) -> list[Found]:
        asked.append((servers, workload.connections, gap_s))
        return [learned(3000, 41, idle_timeout_s=2.0), servers[1]]

    monkeypatch.setattr(run, "learn_connections", learn)
    answers = Answers(Expect(Compared.STATUS, 200))
    prepared = prepare_connections(
        Prepared(list(SERVERS), answers, versus_suite(SERVERS, Workload())), Workload(connections=8), 12.0
    )
    assert asked == [(list(SERVERS), 8, longest_gap_s(servers=2, connections=8, time_s=12.0))]
    servers = [arm.server for arm in prepared.suite.arms.values()]
    assert [server.idle_timeout_s for server in servers if server is not None] == [2.0, None]
    workload = prepared.suite.experiments[0].workload
    assert (workload.connections, workload.expect) == (8, answers.expect)


def test_one_url_is_a_question_for_load() -> None:
    with pytest.raises(UsageError, match="two URLs or more"):
        prepare(Question([":3000"], Workload(), Wishes()))


def test_the_plan_keeps_what_earlier_records_know_of_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "known_spread", lambda _suite: 0.03)
    plan = run.plan_servers(versus_suite(SERVERS, Workload()), RunOptions(time_s=60.0))
    assert plan.experiments[0].restart_spread == 0.03


def test_a_run_without_an_answer_says_what_would_help() -> None:
    plan = plan_of_servers(*SERVERS)
    void = batch(0)
    void.reasons = [Reason(ReasonKind.BACKGROUND, "localhost:4000", value=0.2)]
    record = record_of_servers(plan, void)
    assert why_failed(record) is None
    failed = [Ending(experiment="vs", why=StopReason.FAILED, detail="4 void blocks: …")]
    record = msgspec.structs.replace(record, run=msgspec.structs.replace(record.run, endings=failed))
    assert why_failed(record) == ("4 void blocks: …", "--freeze stops a server while others are loaded")
