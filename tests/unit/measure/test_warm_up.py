"""How long each block warms its arms up, by what the blocks before have shown; blocks are forged."""

from __future__ import annotations

import msgspec
import pytest
from samples import records
from samples.records import MS

from hopcost.measure.warm_up import WarmUpPolicy
from hopcost.suites.experiment import Workload

LEVEL = (100,) * 30  # answers of each warm-up slice, each of the same CPU time
BURST = (100,) * 24 + (50,) * 6
SLOW = (50,) * 8 + (100,) * 22
BLOCKS = 4
LONG = 3064  # of 64 connections: 3 s and 1 ms for each


def warm_ups_ms(*starts: tuple[int, ...], connections: int = 64) -> list[int]:
    """The warm-up that each of the blocks gets where the arms' starts look like this, the last again and again."""
    plan = records.plan_of(quick=False)
    experiment = msgspec.structs.replace(plan.experiments[0], workload=Workload(connections=connections))
    policy, given = WarmUpPolicy(plan, experiment), []
    for number in range(BLOCKS):
        given.append(policy.next_ns(len(experiment.arms), 1800.0) // MS)
        answers = starts[min(number, len(starts) - 1)][: given[-1] // 100]
        parts = [records.part(records.slice_of(arm.name, 1000), warmed_up=answers) for arm in experiment.arms]
        policy.add(records.block(number, *parts))
    return given


def test_arms_that_are_steady_at_once_are_warmed_up_long_once() -> None:
    assert warm_ups_ms(LEVEL) == [LONG, 300, 300, 300]


def test_an_arm_that_takes_its_time_gets_it_after_a_second_look() -> None:
    assert warm_ups_ms(SLOW) == [LONG, LONG, 800, 800]


@pytest.mark.parametrize("first", [SLOW, BURST])
def test_what_one_start_shows_alone_is_not_waited_for(first: tuple[int, ...]) -> None:
    assert warm_ups_ms(first, LEVEL) == [LONG, LONG, 300, 300]


def test_an_arm_that_never_gets_steady_is_always_warmed_up_long() -> None:
    assert warm_ups_ms(BURST) == [LONG, LONG, LONG, LONG]


def test_pools_of_many_connections_have_the_time_to_fill() -> None:
    filling = (50,) * 45 + (100,) * 35
    assert warm_ups_ms(filling, connections=5000) == [8000, 8000, 4500, 4500]
