"""How long each block warms its arms up, by what the blocks before have shown; blocks are forged."""

from __future__ import annotations

import msgspec
import pytest
from samples import blocks as sample
from samples import records
from samples.blocks import MS

from hopcost.measure.blocks.warm_up import WarmUpPolicy
from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.beside import SlowClients
from hopcost.suites.experiments.workload import Workload

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
        given.append(policy.next(len(experiment.arms), 1800.0).least_ns // MS)
        answers = starts[min(number, len(starts) - 1)][: given[-1] // 100]
        parts = [sample.part(sample.slice_of(arm.name, 1000), warmed_up=answers) for arm in experiment.arms]
        policy.add(sample.block(number, *parts))
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


@pytest.mark.parametrize(("number", "least_ms"), [(0, 200), (10, 200), (100, 2000)])
def test_slow_clients_that_all_ask_at_once_are_waited_for(number: int, least_ms: int) -> None:
    plan = records.plan_of()
    slow = SlowClients(number=number, bytes_per_s=30_000)
    experiment = msgspec.structs.replace(plan.experiments[0], workload=Workload(slow_clients=slow))
    policy = WarmUpPolicy(plan, experiment)
    assert policy.next(3, 1800.0).least_ns == least_ms * MS
    policy.add(a_block(0, 1000, 10, 10))
    assert policy.usual_ns >= least_ms * MS
    assert policy.next(3, 1800.0).least_ns >= least_ms * MS


S = 1000 * MS
SECONDS = 108.0  # of an experiment; a tenth of it in each block, for three arms
ARMS_MOST_NS = round(SECONDS * METHOD.warm_up_share * S / 3)


def policy_of(quick: bool = True) -> WarmUpPolicy:
    plan = records.plan_of(quick=quick)
    return WarmUpPolicy(plan, plan.experiments[0])


def a_block(number: int, per_slice: int, *costs: int) -> Block:
    """Three arms that answer so many requests in each 100 ms of their warm-up, with these costs in the rounds."""
    parts = []
    for name in ("direct", "behind", "direct-aa"):
        pieces = [
            msgspec.structs.replace(sample.slice_of(name, 100, cpu_ns={"app": cost * 100}), round=place)
            for place, cost in enumerate(costs)
        ]
        parts.append(sample.part(*pieces, warmed_up=(per_slice,) * 30))
    return sample.block(number, *parts)


@pytest.mark.parametrize("quick", [True, False])
def test_every_warm_up_lasts_so_many_requests_in_quick_runs_too(quick: bool) -> None:
    policy = policy_of(quick)
    for number in range(4):
        warm_up = policy.next(3, SECONDS - 20 * number)
        assert warm_up.requests == 10_000
        assert warm_up.most_ns == ARMS_MOST_NS, "the first block's time decides"
        assert warm_up.least_ns <= warm_up.most_ns
        policy.add(a_block(number, 1000, 50, 50))


def test_a_slow_arm_is_not_waited_for_without_end() -> None:
    assert policy_of().next(4, 10_000.0).most_ns == 5 * S, "20 s for all arms"
    short = policy_of().next(3, 4.0)
    assert short == WarmUp(least_ns=200 * MS, most_ns=200 * MS, requests=10_000), (
        "a tenth of 4 s is less than the least"
    )


@pytest.mark.parametrize(("per_slice", "usual_ms"), [(2000, 500), (10_000, 200), (100, ARMS_MOST_NS // MS)])
def test_the_time_that_so_many_requests_take_is_reckoned_with(per_slice: int, usual_ms: int) -> None:
    policy = policy_of()
    assert policy.usual_ns == 200 * MS
    policy.next(3, SECONDS)
    policy.add(a_block(0, per_slice, 50, 50))
    assert policy.usual_ns // MS == usual_ms


def test_arms_whose_cost_still_falls_are_warmed_up_by_twice_the_requests() -> None:
    policy, given = policy_of(), []
    courses = [(110, 105, 100), (112, 106, 100), (109, 105, 101), (100, 100, 101), (101, 100, 100), (100, 101, 100)]
    for number, costs in enumerate(courses):
        given.append(policy.next(3, SECONDS))
        policy.add(a_block(number, 1000, *costs))
    assert [warm_up.requests for warm_up in given] == [10_000] * 3 + [20_000] * 3
    assert given[-1].most_ns == 20 * S // 3, "a fifth of the time is more than 20 s"


def test_a_void_block_says_nothing() -> None:
    policy = policy_of()
    for number in range(4):
        policy.next(3, SECONDS)
        void = a_block(number, 1000, 110 + number, 105, 100)
        policy.add(msgspec.structs.replace(void, validity=Validity.VOID))
    assert policy.next(3, SECONDS).requests == 10_000


def test_an_app_that_says_how_many_answers_it_needs_gets_so_many() -> None:
    plan = records.plan_of(quick=False)
    hop = msgspec.structs.replace(plan.experiments[0].arms[0].arm.hops[0], app=App(command=["x"], warm_up_requests=700))
    arms = [
        msgspec.structs.replace(arm, arm=msgspec.structs.replace(arm.arm, hops=[hop]))
        for arm in plan.experiments[0].arms
    ]
    experiment = msgspec.structs.replace(plan.experiments[0], arms=arms)
    assert WarmUpPolicy(plan, plan.experiments[0]).next(3, 1800.0).requests == METHOD.warm_up_requests
    assert WarmUpPolicy(plan, experiment).next(3, 1800.0).requests == 700
