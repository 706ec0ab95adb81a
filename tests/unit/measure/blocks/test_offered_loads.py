"""What a block offers its arms after the closed loop, with a mock engine and mock stacks."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest
from mocks.mock_rig import SUITE, MockRig, measure, plan_of
from mocks.recorders import Recorder

from hopcost.measure import loop
from hopcost.measure.blocks import block
from hopcost.measure.load.context import BlockContext
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record import reader
from hopcost.record.writer import Writer


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
