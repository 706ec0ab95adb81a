"""One block with a mock engine and mock stacks: exactly what ran, in which order, and what was recorded."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from mock_rig import SUITE, MockRig, Recorder, measure, plan_of

from hopcost.generators.engine_protocol import Validity, WarmUp
from hopcost.measure import block
from hopcost.measure.engine_load import BlockContext
from hopcost.record.writer import Writer


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
    bodies = {base64.b64decode(arm.expect.body_base64) for load in rig.plans for arm in load.arms}
    assert bodies == {b"hello"}


def test_after_the_closed_loop_the_same_stacks_are_offered_the_same_loads(rig: MockRig, tmp_path: Path) -> None:
    _, read, _ = measure(rig, tmp_path, quick=False)
    assert rig.log[:12] == [
        "start base", "check base", "start slow", "check slow", "start base-aa", "check base-aa",
        "load base slow base-aa", "load base slow base-aa", "load base slow base-aa",
        "stop base-aa", "stop slow", "stop base",
    ]  # fmt: skip
    closed, quarter, half = rig.plans[:3]
    assert {arm.arrivals is None for arm in closed.arms} == {True}
    assert [load.slice_jitter for load in (closed, quarter, half)] == [0.5, 0.0, 0.0]
    slowest = 50 / 1000e-9  # answers of a slice of 1000 ns
    for load, share in ((quarter, 0.25), (half, 0.5)):
        rates = [(arm.arrivals or {})["poisson"].rate_per_s for arm in load.arms]
        assert rates == [pytest.approx(slowest * share, rel=0.05)] * 3
        assert (load.slice_ns, load.rounds) == (10**9, 2), "no more than the closed loop had"
        assert load.cores == closed.cores
    assert len({closed.seed, quarter.seed, half.seed}) == 3
    first = read.blocks[0]
    assert [[load.share for load in arm.open_loop] for arm in first.arms] == [[0.25, 0.5]] * 3
    assert len(first.open_ends) == 2
    assert first.longest_stall_ns == 1000
    assert first.slices_elapsed_ns == sum(each.elapsed_ns for arm in first.arms for each in arm.slices)


def test_an_arm_that_died_in_the_closed_loop_is_offered_nothing(rig: MockRig, tmp_path: Path) -> None:
    SUITE.arms["third"] = SUITE.arms["slow"]
    SUITE.experiments[0].arms.append("third")
    rig.answers["third"] = 70
    rig.dies_under_load.add("slow")
    try:
        _, read, _ = measure(rig, tmp_path, quick=False)
    finally:
        del SUITE.arms["third"]
        SUITE.experiments[0].arms.remove("third")
    assert rig.log[8:12] == ["load base slow third base-aa", *["load base third base-aa"] * 2, "stop base-aa"]
    rates = [(rig.plans[1].arms[0].arrivals or {})["poisson"].rate_per_s]
    assert rates == [pytest.approx(70 / 1000e-9 * 0.25, rel=0.05)]
    assert {arm.name: len(arm.open_loop) for arm in read.blocks[0].arms} == {
        "base": 2, "slow": 0, "third": 2, "base-aa": 2,
    }  # fmt: skip


def test_rates_that_are_given_are_offered(rig: MockRig, tmp_path: Path) -> None:
    planned = plan_of(quick=False)
    with Writer(tmp_path / "record", SUITE, planned, {}, ["hopcost"]) as writer:
        setting = BlockContext(
            plan=planned,
            experiment=planned.experiments[0],
            rig=rig,
            writer=writer,
            watcher=Recorder(),
        )
        warm_up = WarmUp(least_ns=5, most_ns=7)
        done = block.measure_block(setting, planned.experiments[0].arms, 0, 3, rates={0.25: 123.0}, warm_up=warm_up)
    assert done.validity == Validity.VALID, done.reasons
    assert [load.rate_per_s for load in done.arms[0].open_loop] == [123.0]
    as_planned = WarmUp(least_ns=planned.warm_up_least_ns, most_ns=planned.warm_up_most_ns)
    assert [load.warm_up for load in rig.plans] == [warm_up, as_planned], "its stacks are warm by then"


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
    assert len([reason for reason in read.blocks[0].reasons if "other programs" in reason]) == (validity == "suspect")


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
