"""One block with a mock engine and mock stacks: exactly what ran, in which order, and what was recorded."""

from __future__ import annotations

import base64
import itertools
from pathlib import Path

import msgspec
import pytest
from known import known
from mocks.mock_rig import SUITE, MockRig, measure, plan_of
from mocks.recorders import Recorder

from hopcost.measure import loop
from hopcost.measure.blocks import block
from hopcost.measure.load.context import BlockContext
from hopcost.plan.method import METHOD
from hopcost.programs.generators import engine_plan
from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
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


def test_after_the_closed_loop_the_same_stacks_are_offered_the_same_loads(rig: MockRig, tmp_path: Path) -> None:
    _, read, _ = measure(rig, tmp_path, loads=2)
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
        assert ({arm.slice_ns for arm in load.arms}, load.rounds) == ({METHOD.quick_open_slice_ns}, 1)
        assert load.cores == closed.cores
    assert len({closed.seed, quarter.seed, half.seed}) == 3
    first = read.blocks[0]
    assert [[load.share for load in arm.open_loop] for arm in first.arms] == [[0.25, 0.5]] * 3
    assert len(first.open_ends) == 2
    assert first.longest_stall_ns == 1000
    assert first.slices_elapsed_ns == sum(each.elapsed_ns for arm in first.arms for each in arm.slices)


def test_a_load_that_the_generator_sent_late_is_void_and_the_block_is_not_done_again(
    rig: MockRig, tmp_path: Path
) -> None:
    rig.late_share = 0.1
    _, read, _ = measure(rig, tmp_path, loads=1)
    assert [each.validity for each in read.blocks] == [Validity.VALID] * len(read.blocks)
    assert [[load.share for load in each.void_loads] for each in read.blocks] == [[0.25]] * len(read.blocks)
    assert rig.log.count("start base") == len(read.blocks)
    assert {len(arm.open_loop) for each in read.blocks for arm in each.arms} == {1}, "the record keeps it"
    assert {load.arms[0].arrivals is None for load in rig.plans[::2]} == {True}
    rates = {(load.arms[0].arrivals or {})["poisson"].rate_per_s for load in rig.plans[1::2]}
    assert len(rates) == 1, "the load of the first block is that of all"


def test_an_arm_that_died_in_the_closed_loop_is_offered_nothing(rig: MockRig, tmp_path: Path) -> None:
    SUITE.arms["third"] = SUITE.arms["slow"]
    SUITE.experiments[0].arms.append("third")
    rig.answers["third"] = 70
    rig.dies_under_load.add("slow")
    try:
        _, read, _ = measure(rig, tmp_path, loads=1)
    finally:
        del SUITE.arms["third"]
        SUITE.experiments[0].arms.remove("third")
    assert rig.log[8:12] == ["load base slow third base-aa", "load base third base-aa", "stop base-aa", "stop third"]
    rates = [(rig.plans[1].arms[0].arrivals or {})["poisson"].rate_per_s]
    assert rates == [pytest.approx(70 / 1000e-9 * 0.25, rel=0.05)]
    assert {arm.name: len(arm.open_loop) for arm in read.blocks[0].arms} == {
        "base": 1, "slow": 0, "third": 1, "base-aa": 1,
    }  # fmt: skip


def test_rates_that_are_given_are_offered(rig: MockRig, tmp_path: Path) -> None:
    planned = plan_of(quick=False, loads=1)
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
    brief = WarmUp(least_ns=METHOD.open_warm_up_ns, most_ns=METHOD.open_warm_up_ns)
    assert [load.warm_up for load in rig.plans] == [warm_up, brief], "its stacks are warm by then"
    assert rig.plans[1].slice_ns == METHOD.open_warm_up_ns, "a warm-up takes whole slices of the plan's length"
    assert [load.rounds for load in rig.plans] == [3, 1]


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


def test_a_load_that_the_user_names_is_offered_as_it_is(rig: MockRig, tmp_path: Path) -> None:
    """Its share of the slowest arm's throughput is the first block's, in all blocks."""
    planned = plan_of(quick=True, loads=1)
    experiment = msgspec.structs.replace(planned.experiments[0], open_loop_shares=[], open_loop_rates=[1234.5])
    rig.restarts = itertools.cycle([1.0, 9.0, 0.5])
    planned = msgspec.structs.replace(planned, experiments=[experiment])
    with Writer(tmp_path / "record", SUITE, planned, {}, ["hopcost"]) as writer:
        loop.measure_plan(planned, rig, writer, Recorder())
    loads = {
        (load.share, load.rate_per_s)
        for block in reader.read_record(tmp_path / "record").blocks
        for arm in block.arms
        for load in arm.open_loop
    }
    assert loads == {(1234.5 / (50 / 1000e-9), 1234.5)}


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
