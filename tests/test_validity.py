"""Every rule of validity.py: the fault forged in a block's record, and a sound block that passes."""

from __future__ import annotations

from collections.abc import Callable

import factory
import msgspec
import pytest
from factory import MS

from hopcost import validity
from hopcost.engine import End
from hopcost.record import ArmBlock, Block, Failure
from hopcost.sandbox import Cores

EXPERIMENT = factory.plan_of(quick=False).experiments[0]
SHARED = msgspec.structs.replace(EXPERIMENT, cores=Cores(stack=[0, 1], generator=[1]))

Forgery = Callable[[Block], None]


def behind(block: Block) -> ArmBlock:
    """The arm in which faults are forged."""
    return next(part for part in block.arms if part.name == "behind")


def each_open_slice(block: Block, **values: int) -> None:
    for each in behind(block).open_loop[0].slices:
        for key, value in values.items():
            setattr(each, key, value)


def times(block: Block, counts: dict[int, int]) -> None:
    """Other response times under the offered load; what was in flight stays as it was."""
    behind(block).open_loop[0].totals.response_time = factory.histogram_of(counts)


def test_a_sound_block_is_valid_and_its_arms_have_no_fault() -> None:
    block = factory.sound_block()
    assert validity.judge(block, EXPERIMENT) == ("valid", [])
    assert validity.judge(block, SHARED) == ("valid", [])
    for part in block.arms:
        assert validity.faults_of_arm(part, EXPERIMENT) == []
        assert not validity.generator_full(part, EXPERIMENT)


def engine_said(block: Block) -> None:
    block.end = End(elapsed_ns=1, generator_cpu_ns=1, validity="void", reasons=["arm `behind`: 1.1 % outside"])


def engine_said_of_the_open_loop(block: Block) -> None:
    block.open_ends[0] = End(elapsed_ns=1, generator_cpu_ns=1, validity="suspect", reasons=["late"])


def little(block: Block) -> None:
    part = behind(block)
    assert part.totals is not None
    part.totals.service_time = factory.histogram_of({MS: 39_000})


def little_under_an_offered_load(block: Block) -> None:
    behind(block).open_loop[0].totals.service_time = factory.histogram_of({MS * 103 // 100: 10_000})


def ages_at_the_edges(block: Block) -> None:
    behind(block).slices[0].aged_ns = 1_000 * MS


def stall(block: Block) -> None:
    times(block, {MS: 9_950, 1000 * MS: 50})
    behind(block).open_loop[0].slices[1].in_flight_ns = 20_000 * MS  # one slice holds it all
    behind(block).open_loop[0].totals.service_time = factory.histogram_of({MS: 9_950, 301 * MS: 50})


def stall_of_the_only_slice(block: Block) -> None:
    load = behind(block).open_loop[0]
    times(block, {MS: 9_950, 1000 * MS: 50})
    load.slices = load.slices[:1]
    load.slices[0].answers, load.slices[0].in_flight_ns = 10_000, 10_000 * MS


@pytest.mark.parametrize(
    ("forge", "verdict", "reason"),
    [
        (engine_said, "void", "arm `behind`: 1.1 % outside"),
        (engine_said_of_the_open_loop, "suspect", "open loop: late"),
        (lambda block: setattr(block, "foreign_cpu_ns", 2000 * MS), "suspect", "other programs took 8%"),
        (lambda block: setattr(block, "steal_ns", 800 * MS), "void", "the hypervisor kept 6% of the time of 2 cores"),
        (lambda block: setattr(block, "throttled_ns", 70 * MS), "void", "a CPU quota of the cgroup"),
        (lambda block: setattr(block, "swapped_pages", 300), "void", "swapped 300 pages"),
        (lambda block: setattr(block, "clock_step_ns", -40 * MS), "void", "the wall clock was set by -40 ms"),
        (lambda block: setattr(block, "longest_stall_ns", 300 * MS), "suspect", "stood still for 300 ms"),
        (little, "void", "behind: the service times are -2.5% off"),
        (little_under_an_offered_load, "void", "behind: at 5000/s the service times are +3.0% off"),
        (ages_at_the_edges, "void", "behind: the service times are +2.6% off"),
        (stall, "void", "behind: at 5000/s its mean time is above its p99: something stood still"),
        (stall_of_the_only_slice, "suspect", "behind: at 5000/s its mean time is above its p99"),
        (
            lambda block: each_open_slice(block, generator_cpu_ns=1060 * MS),
            "void",
            "behind: at 5000/s the generator's cores were 96% busy: it was saturated",
        ),
        (lambda block: each_open_slice(block, late=300), "void", "6.0% of the requests were sent late"),
        (lambda block: each_open_slice(block, not_sent=100), "void", "2.0% of the requests were not sent though"),
        (lambda block: block.failures.append(Failure("direct-aa", "it died")), "void", "direct-aa, which the others"),
    ],
)
def test_a_fault_of_the_instrument_or_the_machine_is_seen(forge: Forgery, verdict: str, reason: str) -> None:
    block = factory.sound_block()
    forge(block)
    judged, reasons = validity.judge(block, EXPERIMENT)
    assert judged == verdict
    assert any(reason in each for each in reasons), reasons


@pytest.mark.parametrize(
    "forge",
    [
        lambda block: setattr(block, "steal_ns", 500 * MS),
        lambda block: setattr(block, "foreign_cpu_ns", 300 * MS),
        lambda block: setattr(block, "clock_step_ns", 4 * MS),
        lambda block: (setattr(block, "throttled_ns", None), setattr(block, "swapped_pages", None)),
        lambda block: each_open_slice(block, generator_cpu_ns=1000 * MS, spin_ns=500 * MS),  # polling is waiting
        lambda block: each_open_slice(block, late=240),
        lambda block: each_open_slice(block, not_sent=40),
        lambda block: times(block, {MS: 9_900, 9 * MS: 100}),
        lambda block: block.failures.append(Failure("behind", "it died")),
    ],
)
def test_what_is_within_bounds_or_an_arms_own_voids_nothing(forge: Forgery) -> None:
    block = factory.sound_block()
    forge(block)
    assert validity.judge(block, EXPERIMENT) == ("valid", [])


def test_the_difference_between_the_baseline_and_its_copy_voids_nothing() -> None:
    """That would choose blocks by their outcome."""
    block = factory.sound_block()
    copy = next(part for part in block.arms if part.copy_of is not None)
    for each in copy.slices:
        each.answers, each.in_flight_ns = 10_000, 10_000 * MS
    assert copy.totals is not None
    copy.totals.service_time = factory.histogram_of({MS: 20_000})
    assert validity.judge(block, EXPERIMENT) == ("valid", [])


def few(part: ArmBlock) -> None:
    part.slices[0].answers = part.slices[1].answers = 400


def failed(part: ArmBlock) -> None:
    part.slices[0].errors = {"timeout": 50}


def by_an_older_engine(part: ArmBlock) -> None:
    part.slices[0].in_flight_ns = None


@pytest.mark.parametrize("unjudgeable", [few, failed, by_an_older_engine])
def test_littles_law_is_not_judged_where_it_cannot_be(unjudgeable: Callable[[ArmBlock], None]) -> None:
    block = factory.sound_block()
    little(block)
    unjudgeable(behind(block))
    assert validity.judge(block, EXPERIMENT)[0] == "valid"


def errors(part: ArmBlock) -> None:
    assert part.totals is not None
    part.totals.errors = {"timeout": 2, "read": 1, "status": 0}


def open_errors(part: ArmBlock) -> None:
    part.open_loop[0].totals.errors = {"connect": 1}


def no_connection_free(part: ArmBlock) -> None:
    for each in part.open_loop[0].slices:
        each.not_sent, each.in_flight_ns = 1000, 31_000 * MS  # of 32 connections
    part.open_loop[0].totals.service_time = factory.histogram_of({31 * MS // 5: 10_000})


def unanswered(part: ArmBlock) -> None:
    for each in part.open_loop[0].slices:
        each.answers = 4_900


def long_tail(part: ArmBlock) -> None:
    part.open_loop[0].totals.response_time = factory.histogram_of({MS: 9_950, 1000 * MS: 50})


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        (errors, "3 errors: timeout 2, read 1"),
        (open_errors, "at 5000/s: 1 error: connect 1"),
        (lambda part: part.restarts.update(app=1), "1 process of app ended under load: it was restarted, or is lost"),
        (no_connection_free, "at 5000/s: it cannot carry this load: 20.0% of the requests found no connection"),
        (unanswered, "at 5000/s: it cannot carry this load: 2.0% of the requests had no answer in time"),
        (long_tail, "at 5000/s: its mean response time is above its p99"),
    ],
)
def test_a_fault_of_an_arm_is_its_result_and_voids_nothing(forge: Callable[[ArmBlock], None], sentence: str) -> None:
    block = factory.sound_block()
    forge(behind(block))
    (fault,) = validity.faults_of_arm(behind(block), EXPERIMENT)
    assert fault.startswith(sentence)
    verdict, reasons = validity.judge(block, EXPERIMENT)
    assert verdict == "valid", reasons


@pytest.mark.parametrize(
    ("workers", "is_uneven"), [([900, 100], True), ([740, 260], False), ([1000], False), ([900, 50, 50], False)]
)
def test_uneven_workers_are_the_arms_result_where_each_could_have_a_core(workers: list[int], is_uneven: bool) -> None:
    part = factory.sound_part("behind")
    part.worker_cpu_ns = {"proxy": workers}
    for each in part.slices:  # one of two cores idles
        each.cpu_ns, each.generator_cpu_ns = {"proxy": each.elapsed_ns // 2, "app": each.elapsed_ns // 4}, 0
    faults = validity.faults_of_arm(part, SHARED)
    assert faults == (["the busiest of 2 workers of proxy did 1.8 times its even share"] if is_uneven else [])
    assert validity.faults_of_arm(part, EXPERIMENT) == []  # one core for all
    for each in part.slices:  # both are busy: an even load could not have had more
        each.generator_cpu_ns = each.elapsed_ns * 5 // 4
    assert validity.faults_of_arm(part, SHARED) == []


def test_a_stack_that_fills_the_generators_core_is_the_arms_result() -> None:
    block = factory.sound_block()
    each_open_slice(block, late=500)
    for each in behind(block).open_loop[0].slices:
        each.cpu_ns = {"proxy": 900 * MS, "app": 1000 * MS}
    assert validity.judge(block, SHARED)[0] == "valid"
    (fault,) = validity.faults_of_arm(behind(block), SHARED)
    assert "cannot carry" in fault


@pytest.mark.parametrize(
    ("generator_ms", "stack_ms", "full"), [(960, 900, True), (960, 960, False), (900, 500, False), (990, None, True)]
)
def test_throughput_is_a_lower_bound_where_the_generator_is_full_and_the_stack_idles(
    generator_ms: int, stack_ms: int | None, full: bool
) -> None:
    part = factory.sound_part("direct")
    for each in part.slices:
        each.generator_cpu_ns = generator_ms * MS
        each.cpu_ns = {"app": None if stack_ms is None else stack_ms * MS}
    assert validity.generator_full(part, EXPERIMENT) is full
