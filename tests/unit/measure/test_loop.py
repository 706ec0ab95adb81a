"""The loop over blocks with a mock engine: when it stops, goes on, fails, and what the watcher hears."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from mocks.mock_rig import SUITE, MockRig, measure

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record import reader
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import StopReason
from hopcost.suites.suite import Suite


def test_the_watcher_hears_of_every_step(rig: MockRig, tmp_path: Path) -> None:
    _, _, watcher = measure(rig, tmp_path)
    assert watcher.seen[:6] == [
        "experiment one",
        "block 0 of one",
        "start base",
        "start slow",
        "start base-aa",
        "warm-up base",
    ]
    assert watcher.seen[-2:] == ["end 5 valid", "experiment one ends"]
    assert "forecast 6 blocks" in watcher.seen


def unlike() -> Iterator[float]:
    """Starts that differ too much for any precision."""
    dice = random.Random(1)
    return iter(lambda: dice.uniform(0.3, 3.0), None)


@pytest.mark.parametrize("quick", [True, False])
def test_a_run_stops_at_the_first_look_that_is_precise_enough(quick: bool, rig: MockRig, tmp_path: Path) -> None:
    well, read, _ = measure(rig, tmp_path, quick=quick)
    assert well
    assert len(read.blocks) == 6  # identical blocks: the intervals have next to no width
    assert [(ending.why, ending.detail) for ending in read.run.endings] == [
        ("precision", "after 6 blocks every ratio is within ±3 %")
    ]
    assert read.run.ended_utc is not None


def test_a_run_whose_starts_differ_goes_on_past_every_number_of_blocks(rig: MockRig, tmp_path: Path) -> None:
    rig.load_s, rig.restarts = 10.0, unlike()
    _, read, _ = measure(rig, tmp_path, time_s=600.0)
    assert 24 < len(read.blocks) <= 60
    assert read.run.endings[0].why == StopReason.TIME


def test_the_time_ends_an_experiment_but_not_before_its_first_block(rig: MockRig, tmp_path: Path) -> None:
    rig.load_s = 10.0
    _, read, _ = measure(rig, tmp_path, time_s=1.0)
    assert len(read.blocks) == 1
    assert read.run.endings[0].why == StopReason.TIME


def suite_of(**weights: float) -> Suite:
    """The mock suite with an experiment of each name and weight."""
    experiments = [
        msgspec.structs.replace(SUITE.experiments[0], name=name, weight=weight, open_loop=False)
        for name, weight in weights.items()
    ]
    return msgspec.structs.replace(SUITE, experiments=experiments)


def test_blocks_of_all_experiments_take_turns(rig: MockRig, tmp_path: Path) -> None:
    rig.load_s, rig.restarts = 10.0, unlike()
    _, read, watcher = measure(rig, tmp_path, time_s=200.0, suite=suite_of(one=1, two=1, three=1))
    order = [(block.experiment, block.number) for block in read.blocks]
    assert order[:6] == [("one", 0), ("two", 0), ("three", 0), ("one", 1), ("two", 1), ("three", 1)]
    assert [line for line in watcher.seen if line.startswith("experiment")][:3] == [
        "experiment one", "experiment two", "experiment three",
    ]  # fmt: skip
    counts = [sum(block.experiment == name for block in read.blocks) for name in ("one", "two", "three")]
    assert max(counts) - min(counts) <= 1 and sum(counts) >= 16
    assert {ending.why for ending in read.run.endings} == {StopReason.TIME}


def test_an_experiment_of_more_weight_gets_more_of_the_time_but_no_head_start(rig: MockRig, tmp_path: Path) -> None:
    rig.load_s, rig.restarts = 10.0, unlike()
    _, read, _ = measure(rig, tmp_path, time_s=400.0, suite=suite_of(light=1, heavy=3))
    order = [block.experiment for block in read.blocks]
    assert order[:8] == ["light", "heavy"] * 4
    assert order.count("heavy") == pytest.approx(3 * order.count("light"), abs=3)


def test_what_one_experiment_leaves_the_others_share(rig: MockRig, tmp_path: Path) -> None:
    """The first is precise enough after six blocks; the second never is, and has the rest of the time."""
    rig.load_s = 10.0
    calm = itertools.chain([1.0] * 6, itertools.repeat(None))
    rig.restarts = (factor for pair in zip(calm, unlike(), strict=False) for factor in pair if factor is not None)
    _, read, _ = measure(rig, tmp_path, time_s=400.0, suite=suite_of(calm=1, restless=1))
    order = [block.experiment for block in read.blocks]
    assert order.count("calm") == 6
    assert order.count("restless") > 20
    assert {ending.experiment: ending.why for ending in read.run.endings} == {"calm": "precision", "restless": "time"}


def test_an_interrupted_run_is_balanced_and_says_so_of_every_experiment(rig: MockRig, tmp_path: Path) -> None:
    rig.interrupted_at = 5
    with pytest.raises(KeyboardInterrupt):
        measure(rig, tmp_path, suite=suite_of(one=1, two=1))
    read = reader.read_record(tmp_path / "record")
    assert [block.experiment for block in read.blocks] == ["one", "two", "one", "two", "one"]
    assert {ending.experiment: ending.why for ending in read.run.endings} == dict.fromkeys(
        ("one", "two"), StopReason.INTERRUPTED
    )


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
    assert [block.validity for block in read.blocks] == ["void", *["valid"] * 6]
    assert read.blocks[0].reasons == [Reason(ReasonKind.BROKE_OFF, text="the load engine was killed by signal 9")]
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
