"""How many rounds a screening's time holds; and what a void start, or one that does not fit, leaves."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest
from mocks import confs

from hopcost.measure.protocols.conf.screen import LEAST_ROUNDS, MOST_ROUNDS, rounds_in
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.record.contents.run import StopReason


@pytest.fixture
def planned(tmp_path: Path) -> PlannedExperiment:
    """A screening of four arms, with slices of 0.1 and 0.2 s."""
    return confs.measured(tmp_path).record.plan.experiments[0]


def test_a_screening_has_short_slices_and_the_confirmation_those_of_the_method(tmp_path: Path) -> None:
    experiments = confs.measured(tmp_path).record.plan.experiments
    assert [(planned.settle_ns, planned.slice_ns) for planned in experiments[:2]] == [(100_000_000, 200_000_000)] * 2
    assert experiments[2].settle_ns >= 300_000_000


@pytest.mark.parametrize(("seconds", "rounds"), [(20.0, 10), (1.0, LEAST_ROUNDS), (900.0, MOST_ROUNDS)])
def test_the_time_is_filled_with_rounds(planned: PlannedExperiment, seconds: float, rounds: int) -> None:
    assert len(planned.arms) == 5
    assert rounds_in(seconds, planned) == rounds


def test_more_arms_leave_fewer_rounds(planned: PlannedExperiment) -> None:
    many = msgspec.structs.replace(planned, arms=planned.arms * 2)
    assert rounds_in(60.0, many) < rounds_in(60.0, planned)


def test_a_void_start_is_done_again_once_and_then_the_phase_says_nothing(tmp_path: Path) -> None:
    plan = confs.plan_of()
    rig = confs.CostingRig(plan, confs.COSTS_US)
    rig.fails_at_start = {"giants"}
    answer = confs.measured(tmp_path, plan, rig=rig)
    giants = [block for block in answer.record.blocks if block.experiment == "giants"]
    assert [block.number for block in giants] == [0, 1]
    ending = next(ending for ending in answer.record.run.endings if ending.experiment == "giants")
    assert ending.why is StopReason.FAILED
    assert answer.of("keepalive").screened is None
    assert answer.of("real-ip-off").screened is not None


def test_short_idle_timeouts_keep_no_arm_from_its_turn(tmp_path: Path) -> None:
    plan = confs.plan_of()
    configuration = msgspec.structs.replace(plan.screened.configuration, idle_timeout_s=2.0)
    screened = msgspec.structs.replace(plan.screened, configuration=configuration)
    answer = confs.measured(tmp_path, msgspec.structs.replace(plan, screened=screened))
    assert [planned.turns for planned in answer.record.plan.experiments[:2]] == [Turns.ALL] * 2
    assert answer.of("keepalive").screened is not None


def test_arms_that_do_not_fit_side_by_side_are_not_screened(tmp_path: Path) -> None:
    plan = confs.plan_of()
    workload = msgspec.structs.replace(plan.screened.workload, connections=6000)
    screened = msgspec.structs.replace(plan.screened, workload=workload)
    plan = msgspec.structs.replace(plan, screened=screened)
    answer = confs.measured(tmp_path, plan)
    details = [ending.detail for ending in answer.record.run.endings if ending.experiment in ("giants", "rest")]
    assert details == ["not all arms fit side by side here: fewer --connections"] * 2
    assert list(itertools.chain(answer.record.blocks)) == []
