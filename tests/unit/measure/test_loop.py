"""The loop over blocks with a mock engine: when it stops, goes on, fails, and what the watcher hears."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest
from mock_rig import SUITE, MockRig, measure

from hopcost.errors import MeasurementFailed
from hopcost.generators.engine_protocol import Validity
from hopcost.plan.method import METHOD
from hopcost.record import reader
from hopcost.record.run import StopReason


def test_the_watcher_hears_of_every_step(rig: MockRig, tmp_path: Path) -> None:
    _, _, watcher = measure(rig, tmp_path)
    assert watcher.seen[:6] == [
        "experiment one 6",
        "block 0",
        "start base",
        "start slow",
        "start base-aa",
        "warm-up base",
    ]
    assert watcher.seen[-1] == "end 5 valid"


def test_quick_does_six_blocks_and_says_so(rig: MockRig, tmp_path: Path) -> None:
    well, read, _ = measure(rig, tmp_path)
    assert well
    assert [(ending.why, ending.detail) for ending in read.run.endings] == [("blocks", "all 6 blocks are done")]
    assert read.run.ended_utc is not None


def test_a_full_run_stops_at_the_first_look_that_is_precise_enough(rig: MockRig, tmp_path: Path) -> None:
    _, read, _ = measure(rig, tmp_path, quick=False)
    assert len(read.blocks) == 6  # identical blocks: the intervals have no width
    assert read.run.endings[0].why == StopReason.PRECISION


def test_the_time_ends_an_experiment_but_not_before_its_first_block(rig: MockRig, tmp_path: Path) -> None:
    _, read, _ = measure(rig, tmp_path, time_s=0.001)
    assert len(read.blocks) == 1
    assert read.run.endings[0].why == StopReason.TIME


def test_an_experiment_of_more_weight_gets_more_of_the_time(rig: MockRig, tmp_path: Path) -> None:
    SUITE.experiments.append(msgspec.structs.replace(SUITE.experiments[0], name="two", weight=3))
    began = time.monotonic()
    try:
        _, _, watcher = measure(rig, tmp_path, time_s=4000.0)
    finally:
        SUITE.experiments.pop()
    assert watcher.deadlines["one"] - began == pytest.approx(1000, abs=30)
    assert watcher.deadlines["two"] - began == pytest.approx(4000, abs=30)


def test_a_baseline_that_fails_ends_the_experiment_with_its_words(rig: MockRig, tmp_path: Path) -> None:
    rig.fails_at_start.add("base")
    well, read, _ = measure(rig, tmp_path)
    assert not well
    assert rig.log == ["start base"]
    assert read.blocks[0].validity == Validity.VOID
    assert read.blocks[0].failures[0].message == "it would not start"
    assert (read.blocks[0].harness_cpu_ns, read.blocks[0].foreign_cpu_ns) == (None, None), "no load, no CPU time of it"
    assert (read.run.endings[0].why, read.run.endings[0].detail) == ("failed", "the baseline failed")


def test_a_killed_engine_voids_the_block_visibly_and_it_is_done_again(rig: MockRig, tmp_path: Path) -> None:
    rig.engine_faults = [MeasurementFailed("the load engine was killed by signal 9")]
    well, read, watcher = measure(rig, tmp_path)
    assert well
    assert [each.validity for each in read.blocks] == ["void", *["valid"] * 6]
    assert read.blocks[0].reasons == ["the load engine was killed by signal 9"]
    assert "end 0 void" in watcher.seen
    assert rig.log[:8].count("stop base") == 0 and rig.log[9] == "stop base"


def test_too_many_void_blocks_end_the_experiment(rig: MockRig, tmp_path: Path) -> None:
    rig.engine_faults = [MeasurementFailed("killed") for _ in range(9)]
    well, read, _ = measure(rig, tmp_path)
    assert not well
    assert len(read.blocks) == METHOD.max_void_blocks + 1
    assert read.run.endings[0].why == StopReason.FAILED


def test_ctrl_c_stops_the_stacks_and_keeps_the_blocks_done(rig: MockRig, tmp_path: Path) -> None:
    rig.interrupted_at = 2
    with pytest.raises(KeyboardInterrupt):
        measure(rig, tmp_path)
    read = reader.read_record(tmp_path / "record")
    assert len(read.blocks) == 2
    assert read.run.endings[0].why == StopReason.INTERRUPTED
    assert read.run.ended_utc is None
    assert rig.log[-3:] == ["stop base-aa", "stop slow", "stop base"]
