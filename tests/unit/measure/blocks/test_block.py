"""One block with a mock engine and mock stacks: exactly what ran, in which order, and what was recorded."""

from __future__ import annotations

import base64
from pathlib import Path

import msgspec
import pytest
from known import known
from mocks.mock_rig import SUITE, MockRig, measure, plan_of
from mocks.recorders import Recorder

from hopcost.measure import loop
from hopcost.programs.generators import engine_plan
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.record.contents.reason import ReasonKind
from hopcost.record.writer import Writer
from hopcost.suites.experiments.beside import IdleConnections, SlowClients
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.suite import Suite


def test_a_block_starts_checks_loads_and_stops_every_arm_with_the_baseline_first(rig: MockRig, tmp_path: Path) -> None:
    measure(rig, tmp_path)
    one_block = [
        "start base", "check base", "start slow", "check slow", "start base-aa", "check base-aa",
        "load base slow base-aa",
        "stop base-aa", "stop slow", "stop base",
    ]  # fmt: skip
    assert rig.log == one_block * 6


def test_each_block_has_its_own_recorded_seed_and_the_baselines_answer_is_expected_of_all(
    rig: MockRig, tmp_path: Path
) -> None:
    _, read, _ = measure(rig, tmp_path)
    assert [each.seed for each in read.blocks] == [load.seed for load in rig.plans]
    assert len({load.seed for load in rig.plans}) == 6
    bodies = {base64.b64decode(known(known(arm.expect).body_base64)) for load in rig.plans for arm in load.arms}
    assert bodies == {b"hello"}


def suite_with(expect: Expect) -> Suite:
    """The mock suite whose answers must be so."""
    return suite_of(expect=expect)


def suite_of(**workload: object) -> Suite:
    """The mock suite with these keys of its workload."""
    replace = msgspec.structs.replace
    (experiment,) = SUITE.experiments
    return replace(SUITE, experiments=[replace(experiment, workload=replace(experiment.workload, **workload))])


def test_the_engine_is_told_of_slow_clients_and_idle_connections_if_there_are_any(rig: MockRig, tmp_path: Path) -> None:
    slow, idle = SlowClients(number=5, bytes_per_s=30_000), IdleConnections(number=7, every="2s")
    measure(rig, tmp_path / "some", suite=suite_of(slow_clients=slow, idle_connections=idle))
    for arm in rig.plans[0].arms:
        assert arm.slow_clients == EngineSlowClients(number=5, bytes_per_s=30_000)
        assert arm.idle_connections == EngineIdleConnections(number=7, every_ns=2_000_000_000)
    rig.plans.clear()
    measure(rig, tmp_path / "none", suite=suite_of(slow_clients=msgspec.structs.replace(slow, number=0)))
    assert [(arm.slow_clients, arm.idle_connections) for arm in rig.plans[0].arms] == [(None, None)] * 3


@pytest.mark.parametrize(
    ("expect", "of_the_engine"),
    [
        (Expect(Compared.MASKED, masked=[(1, 2)]), (b"hullo", None, [(1, 2)])),
        (Expect(Compared.LENGTH), (None, 5, [])),
        (Expect(Compared.STATUS, status=200), (None, None, [])),
    ],
    ids=["masked", "length", "status"],
)
def test_arms_are_compared_in_what_the_workload_says(
    rig: MockRig, tmp_path: Path, expect: Expect, of_the_engine: tuple[bytes | None, int | None, list[tuple[int, int]]]
) -> None:
    rig.bodies["slow"] = b"hullo"
    _, read, _ = measure(rig, tmp_path, suite=suite_with(expect))
    assert not any(block.failures for block in read.blocks)
    (said,) = (arm.expect for arm in rig.plans[0].arms if arm.name == "slow")
    body, length, masked = of_the_engine
    assert said == engine_plan.engine_expect(200, body, length, masked)


def test_the_baseline_too_must_have_the_expected_status(rig: MockRig, tmp_path: Path) -> None:
    well, read, _ = measure(rig, tmp_path, suite=suite_with(Expect(status=404)))
    assert not well
    assert "it answers with status 200; 404 is expected" in read.blocks[0].failures[0].message


def test_an_arm_that_answers_otherwise_leaves_with_a_diff_and_the_others_go_on(rig: MockRig, tmp_path: Path) -> None:
    SUITE.arms["third"] = SUITE.arms["slow"]
    SUITE.experiments[0].arms.append("third")
    rig.answers["third"] = 70
    rig.bodies["slow"] = b"hullo"
    try:
        well, read, _ = measure(rig, tmp_path)
    finally:
        del SUITE.arms["third"]
        SUITE.experiments[0].arms.remove("third")
    assert not well
    assert [failure.arm for each in read.blocks for failure in each.failures] == ["slow"]
    message = read.blocks[0].failures[0].message
    assert "-hello" in message and "+hullo" in message
    assert {arm.name for arm in read.blocks[0].arms} == {"base", "third", "base-aa"}
    assert rig.log.count("start slow") == 1
    assert len(read.blocks) == 6


@pytest.mark.parametrize(("busy_ns", "validity"), [(30_000_000, "valid"), (100_000_000, "suspect")])
def test_other_programs_load_makes_a_block_suspect(rig: MockRig, tmp_path: Path, busy_ns: int, validity: str) -> None:
    readings = iter([0, busy_ns])  # before and after the first block's load, of 2 s of CPU time on 2 cores
    rig.busy = iter(lambda: next(readings, 0), None)
    _, read, _ = measure(rig, tmp_path)
    assert read.blocks[0].validity == validity
    others = [reason for reason in read.blocks[0].reasons if reason.kind is ReasonKind.OTHER_PROGRAMS]
    assert len(others) == (validity == "suspect")


def test_a_setting_that_leaves_no_receipt_is_its_arms_failure(rig: MockRig, tmp_path: Path) -> None:
    rig.without_receipt.add("slow")
    well, read, _ = measure(rig, tmp_path)
    assert not well
    failure = read.blocks[0].failures[0]
    assert failure.arm == "slow"
    assert failure.message == "under load: origin: gzip = true, but answers have no Content-Encoding"
    assert [each.holds for arm in read.blocks[0].arms for each in arm.receipts].count(False) == 1
    assert read.blocks[0].validity == Validity.VALID


def test_a_program_that_dies_under_load_is_its_arms_failure_and_keeps_the_block(rig: MockRig, tmp_path: Path) -> None:
    rig.dies_under_load.add("slow")
    well, read, _ = measure(rig, tmp_path)
    assert not well
    assert read.blocks[0].validity == Validity.VALID
    assert read.blocks[0].failures[0].message == "under load: origin ended by signal 11"


def test_a_worker_that_is_replaced_under_load_is_its_arms_result(rig: MockRig, tmp_path: Path) -> None:
    rig.replaces_a_worker.add("slow")
    well, read, _ = measure(rig, tmp_path)
    assert well
    assert [each.validity for each in read.blocks] == ["valid"] * 6
    assert {arm.name: arm.restarts for arm in read.blocks[0].arms} == {
        "base": {}, "slow": {"origin": 1}, "base-aa": {},
    }  # fmt: skip


@pytest.mark.parametrize("turn", [False, True])
def test_connections_that_live_for_a_turn_are_closed_behind_each_slice_of_every_arm(
    rig: MockRig, tmp_path: Path, turn: bool
) -> None:
    planned = plan_of(quick=True, loads=1)
    (experiment,) = planned.experiments
    reasons = ["origin drops idle ones after 2 s"] if turn else []
    experiment = msgspec.structs.replace(experiment, opened_each_turn=reasons)
    planned = msgspec.structs.replace(planned, experiments=[experiment])
    with Writer(tmp_path / "record", SUITE, planned, {}, ["hopcost"]) as writer:
        loop.measure_plan(planned, rig, writer, Recorder())
    arms = [arm for load in rig.plans for arm in load.arms]
    assert {(arm.reopen_each_round, arm.close_each_round) for arm in arms} == {
        ("spread", True) if turn else (None, False)
    }
    assert {load.arms[0].arrivals is None for load in rig.plans} == {True, False}, "at both kinds of load"
    reopened = {part.reopened for each in reader.read_record(tmp_path / "record").blocks for part in each.arms}
    assert reopened == {"spread" if turn else None}
