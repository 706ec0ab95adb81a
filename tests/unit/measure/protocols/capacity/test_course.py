"""Whole runs on simulated queues: the record, the answer, what somebody stopped, what failed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from known import known
from mocks.mock_rig import SUITE
from mocks.queues import ONE_MS, QUESTION, TWO_MS, ProbeRecorder, QueueRig, planned, searched

from hopcost.errors import UsageError
from hopcost.measure.protocols.capacity.ask import search_all
from hopcost.record import reader
from hopcost.record.contents.run import StopReason
from hopcost.record.writer import Writer
from hopcost.statistics.questions.capacity.objectives import read_objectives
from hopcost.statistics.questions.capacity.result import Kind, read_capacity
from tools.truth.sections.capacity.simulated import QueueServer
from tools.truth.sections.capacity.waiting import capacity


def truth(server: QueueServer) -> float:
    return capacity(0.020 / server.service_s, 0.01) / server.service_s


def test_two_queues_are_found_side_by_side(tmp_path: Path) -> None:
    answer = searched(QueueRig({"base": ONE_MS, "slow": TWO_MS}), tmp_path, 240.0)
    assert [(row.arm, row.kind) for row in answer.rows] == [("slow", Kind.MEASURED), ("base", Kind.MEASURED)]
    for row, server in zip(answer.rows, (TWO_MS, ONE_MS), strict=True):
        per_s = known(row.per_s)
        assert per_s.value == pytest.approx(truth(server), rel=0.06)
        assert known(per_s.low) < per_s.value < known(per_s.high)
        assert row.ends_by == "p99" and row.starts >= 3
        rates = [point.rate_per_s for point in row.points]
        assert rates == sorted(rates) and row.points[0].rate_per_s < 0.2 * truth(server)
    assert answer.endings[0].why is StopReason.TIME


def test_it_keeps_to_its_time(tmp_path: Path) -> None:
    rig = QueueRig({"base": ONE_MS})
    begins_s = rig.now_s()
    searched(rig, tmp_path, 90.0, "base")
    assert rig.now_s() - begins_s < 95.0


def test_connections_of_several_arms_live_for_one_probe(tmp_path: Path) -> None:
    rig = QueueRig({"base": ONE_MS, "slow": TWO_MS})
    searched(rig, tmp_path, 60.0)
    probes = [plan for plan in rig.plans if plan.arms[0].arrivals is not None]
    assert all(arm.reopen_each_round and arm.close_each_round for plan in probes for arm in plan.arms)
    assert all(plan.rounds == 1 and plan.settle_ns > 0 for plan in probes)
    assert len({plan.seed for plan in probes}) == len(probes)


def test_what_somebody_stops_is_an_answer_all_the_same(tmp_path: Path) -> None:
    rig = QueueRig({"base": ONE_MS})
    rig.stops_at = 22
    plan = planned(90.0, "base")
    with pytest.raises(KeyboardInterrupt), Writer(tmp_path / "record", SUITE, plan, {}, ["hopcost"]) as writer:
        search_all(plan, QUESTION.objectives, rig, writer, ProbeRecorder())
    answer = read_capacity(QUESTION, reader.read_record(tmp_path / "record"))
    assert answer.endings[0].why is StopReason.INTERRUPTED
    assert known(answer.row("base").per_s).value == pytest.approx(truth(ONE_MS), rel=0.15)


def test_the_generators_limit_is_not_the_servers(tmp_path: Path) -> None:
    answer = searched(QueueRig({"base": QueueServer(service_s=0.0005)}, limit_per_s=1500.0), tmp_path, 60.0, "base")
    row = answer.row("base")
    assert row.kind is Kind.AT_LEAST
    assert 1300 < known(row.per_s).value <= 1500 and known(row.per_s).high is None


def test_errors_end_a_capacity_too(tmp_path: Path) -> None:
    rig = QueueRig({"base": ONE_MS})
    rig.fails_at = {"base": 600.0}
    row = searched(rig, tmp_path, 90.0, "base").row("base")
    assert (row.kind, row.ends_by) == (Kind.MEASURED, "errors")
    assert known(row.per_s).value == pytest.approx(600.0, rel=0.1)


def test_a_server_that_is_too_slow_idle_holds_no_rate(tmp_path: Path) -> None:
    answer = searched(QueueRig({"base": QueueServer(service_s=0.03)}), tmp_path, 90.0, "base")
    row = answer.row("base")
    assert (row.kind, row.per_s) == (Kind.MISSES_IDLE, None)
    assert known(row.points[0].response_time_ns["p50"]) >= 30_000_000


def test_too_little_time_says_how_much_it_takes(tmp_path: Path) -> None:
    slow = QueueRig({"base": QueueServer(service_s=0.02)})
    question = msgspec.structs.replace(QUESTION, objectives=read_objectives(["p99.9<1s"]))
    plan = planned(60.0, "base")
    with Writer(tmp_path / "record", SUITE, plan, {}, ["hopcost"]) as writer:
        search_all(plan, question.objectives, slow, writer, ProbeRecorder())
    ending = reader.read_record(tmp_path / "record").run.endings[0]
    assert "in all" in ending.detail


def test_an_arm_that_does_not_start_leaves_the_others(tmp_path: Path) -> None:
    rig = QueueRig({"base": ONE_MS, "slow": TWO_MS})
    rig.fails_at_start = {"slow"}
    answer = searched(rig, tmp_path, 90.0)
    assert answer.row("slow").kind is Kind.FAILED
    assert answer.row("base").kind is Kind.MEASURED


def test_an_arm_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no stack is called 'bass'") as refused:
        planned(60.0, "bass")
    assert "base" in (refused.value.hint or "")
