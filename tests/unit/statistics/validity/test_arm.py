"""Faults of an arm are its result: each forged in a block's record."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from samples import blocks as sample
from samples.blocks import MS
from samples.forgeries import EXPERIMENT, SHARED, behind, each_open_slice

from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.validity.arm import ArmFault, Consequence, faults_of_arm, is_generator_full
from hopcost.statistics.validity.block import judge_block

UNABLE = "at 5000/s: it cannot carry this load: "


def errors(part: ArmBlock) -> None:
    assert part.totals is not None
    part.totals.errors = {"timeout": 2, "read": 1, "status": 0}


def many_errors(part: ArmBlock) -> None:
    assert part.totals is not None
    part.totals.errors = {"read": 1000}


def many_open_errors(part: ArmBlock) -> None:
    part.open_loop[0].totals.errors = {"connect": 100}


def restart(part: ArmBlock) -> None:
    part.restarts["app"] = 1


def open_errors(part: ArmBlock) -> None:
    part.open_loop[0].totals.errors = {"connect": 1}


def no_connection_free(part: ArmBlock) -> None:
    for piece in part.open_loop[0].slices:
        piece.not_sent, piece.in_flight_ns = 1000, 31_000 * MS  # of 32 connections
    part.open_loop[0].totals.service_time = sample.histogram_of({31 * MS // 5: 10_000})


def unanswered(part: ArmBlock) -> None:
    for piece in part.open_loop[0].slices:
        piece.answers = 4_900


def long_tail(part: ArmBlock) -> None:
    part.open_loop[0].totals.response_time = sample.histogram_of({MS: 9_950, 1000 * MS: 50})


@pytest.mark.parametrize(
    ("forge", "sentence", "consequence"),
    [
        (errors, "3 errors: timeout 2, read 1", Consequence.CAVEAT),
        (many_errors, "1000 errors: read 1000", Consequence.NO_THROUGHPUT),
        (open_errors, "at 5000/s: 1 error: connect 1", Consequence.CAVEAT),
        (many_open_errors, "at 5000/s: 100 errors: connect 100", Consequence.NO_LOAD),
        (restart, "1 process of app ended under load: it was restarted, or is lost", Consequence.NO_CPU),
        (no_connection_free, f"{UNABLE}20.0% of the requests found no connection", Consequence.NO_LOAD),
        (unanswered, f"{UNABLE}2.0% of the requests had no answer in time", Consequence.NO_LOAD),
        (long_tail, "at 5000/s: its mean response time is above its p99", Consequence.CAVEAT),
    ],
)
def test_a_fault_of_an_arm_is_its_result_and_voids_nothing(
    forge: Callable[[ArmBlock], None], sentence: str, consequence: Consequence
) -> None:
    block = sample.sound_block()
    forge(behind(block))
    (fault,) = faults_of_arm([behind(block)], EXPERIMENT)
    assert fault.text.startswith(sentence) and fault.consequence is consequence
    verdict, reasons, void_loads = judge_block(block, EXPERIMENT)
    assert verdict == "valid", reasons
    assert void_loads == [], void_loads


@pytest.mark.parametrize(
    ("workers", "is_uneven"), [([900, 100], True), ([740, 260], False), ([1000], False), ([900, 50, 50], False)]
)
def test_uneven_workers_are_the_arms_result_where_each_could_have_a_core(workers: list[int], is_uneven: bool) -> None:
    part = sample.sound_part("behind")
    part.worker_cpu_ns = {"proxy": workers}
    for piece in part.slices:  # one of two cores idles
        piece.cpu_ns, piece.generator_cpu_ns = {"proxy": piece.elapsed_ns // 2, "app": piece.elapsed_ns // 4}, 0
    faults = [fault.text for fault in faults_of_arm([part], SHARED)]
    assert faults == (["one of proxy's 2 workers did 90 % of the work"] if is_uneven else [])
    assert faults_of_arm([part], EXPERIMENT) == []  # one core for all
    for piece in part.slices:  # both are busy: an even load could not have had more
        piece.generator_cpu_ns = piece.elapsed_ns * 5 // 4
    assert faults_of_arm([part], SHARED) == []


def test_a_stack_that_fills_the_generators_core_is_the_arms_result() -> None:
    block = sample.sound_block()
    each_open_slice(block, late=500)
    for piece in behind(block).open_loop[0].slices:
        piece.cpu_ns = {"proxy": 900 * MS, "app": 1000 * MS}
    assert judge_block(block, SHARED)[0] == "valid"
    (fault,) = faults_of_arm([behind(block)], SHARED)
    assert "cannot carry" in fault.text


@pytest.mark.parametrize(
    ("generator_ms", "stack_ms", "full"), [(960, 900, True), (960, 960, False), (900, 500, False), (990, None, True)]
)
def test_throughput_is_a_lower_bound_where_the_generator_is_full_and_the_stack_idles(
    generator_ms: int, stack_ms: int | None, full: bool
) -> None:
    part = sample.sound_part("direct")
    for piece in part.slices:
        piece.generator_cpu_ns = generator_ms * MS
        piece.cpu_ns = {"app": None if stack_ms is None else stack_ms * MS}
    assert is_generator_full(part, EXPERIMENT) is full


def test_of_two_generators_one_that_is_full_is_enough() -> None:
    part = sample.sound_part("direct")
    for piece in part.slices:
        piece.generator_cpu_ns, piece.cpu_ns = 1060 * MS, {"app": 500 * MS}
        own = {"elapsed_ns": piece.elapsed_ns}
        piece.generators = [
            sample.generator_slice("g1", generator_cpu_ns=100 * MS, **own),
            sample.generator_slice("g2", generator_cpu_ns=960 * MS, **own),
        ]
    assert is_generator_full(part, EXPERIMENT)
    for piece in part.slices:
        piece.generators = [sample.generator_slice(name, generator_cpu_ns=530 * MS, **own) for name in ("g1", "g2")]
    assert not is_generator_full(part, EXPERIMENT)


def test_what_the_arm_cannot_carry_is_a_share_of_all_requests_whichever_generator_sent_them() -> None:
    block = sample.sound_block()
    no_connection_free(behind(block))
    for piece in behind(block).open_loop[0].slices:
        due, unsent = piece.due or 0, piece.not_sent or 0
        half = {"due": due // 2, "elapsed_ns": piece.elapsed_ns, "in_flight_ns": piece.in_flight_ns or 0}
        piece.generators = [
            sample.generator_slice("g1", **half),
            sample.generator_slice("g2", not_sent=unsent, **half),
        ]
    (fault,) = faults_of_arm([behind(block)], EXPERIMENT)
    assert fault.text.startswith(f"{UNABLE}20.0% of the requests"), fault.text


def test_errors_are_counted_over_all_starts_and_faults_say_in_how_many_they_were() -> None:
    parts = [behind(sample.sound_block(number)) for number in range(4)]
    errors(parts[0])
    long_tail(parts[1])
    few, tail = faults_of_arm(parts, EXPERIMENT)
    assert few.text == "3 errors: timeout 2, read 1"
    assert tail.text.endswith("(in 1 of 4 starts)")


@pytest.mark.parametrize(
    ("consequence", "taken"),
    [
        (Consequence.CAVEAT, set()),
        (Consequence.NO_THROUGHPUT, {("throughput", None)}),
        (Consequence.NO_CPU, {("cpu_per_request", None), ("cpu_per_request", 0.25), ("cpu_per_request:proxy", None)}),
        (Consequence.NO_LOAD, {("cpu_per_request", 0.25), ("response_p99", 0.25)}),
    ],
)
def test_a_fault_takes_the_verdicts_of_the_figures_that_it_makes_meaningless(
    consequence: Consequence, taken: set[tuple[str, float | None]]
) -> None:
    share = 0.25 if consequence is Consequence.NO_LOAD else None
    fault = ArmFault(
        "it did wrong", consequence, hop="proxy" if consequence is Consequence.NO_CPU else None, share=share
    )
    figures = [
        ("throughput", None), ("cpu_per_request", None), ("cpu_per_request:proxy", None), ("cpu_per_request:app", None),
        ("cpu_per_request", 0.25), ("response_p99", 0.25), ("response_p99", 0.5),
    ]  # fmt: skip
    assert {figure for figure in figures if fault.takes_verdict(*figure)} == taken
