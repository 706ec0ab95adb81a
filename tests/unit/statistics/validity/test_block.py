"""Faults of the instrument and the machine void a block or one of its loads: each forged, beside a sound block."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from samples import blocks as sample
from samples.blocks import MS
from samples.forgeries import EXPERIMENT, SHARED, behind, each_open_slice, stall, times

from hopcost.programs.generators.engine_lines import End, Validity
from hopcost.record.contents.block import ArmBlock, Block, Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.arm import faults_of_arm, is_generator_full
from hopcost.statistics.validity.block import judge_block
from hopcost.statistics.validity.reasons import sentences

Forgery = Callable[[Block], None]


def test_a_sound_block_is_valid_and_its_arms_have_no_fault() -> None:
    block = sample.sound_block()
    assert judge_block(block, EXPERIMENT) == ("valid", [], [])
    assert judge_block(block, SHARED) == ("valid", [], [])
    for part in block.arms:
        assert faults_of_arm([part], EXPERIMENT) == []
        assert not is_generator_full(part, EXPERIMENT)


def engine_said(block: Block) -> None:
    block.end = End(elapsed_ns=1, generator_cpu_ns=1, validity=Validity.VOID, reasons=["arm `behind`: 1.1 % odd"])


def engine_said_of_the_open_loop(block: Block) -> None:
    block.open_ends[0] = End(elapsed_ns=1, generator_cpu_ns=1, validity=Validity.SUSPECT, reasons=["late"])


def unknown_conditions(block: Block) -> None:
    block.throttled_ns, block.swapped_pages = None, None


def little(block: Block) -> None:
    part = behind(block)
    assert part.totals is not None
    part.totals.service_time = sample.histogram_of({MS: 39_000})


def little_under_an_offered_load(block: Block) -> None:
    behind(block).open_loop[0].totals.service_time = sample.histogram_of({MS * 103 // 100: 10_000})


def ages_at_the_edges(block: Block) -> None:
    behind(block).slices[0].aged_ns = 1_000 * MS


def stall_of_the_closed_loop(block: Block) -> None:
    part = behind(block)
    assert part.totals is not None
    part.totals.service_time = sample.histogram_of({MS: 39_850, 1000 * MS: 150})
    part.slices[1].in_flight_ns = 169_850 * MS


def stall_of_the_only_slice(block: Block) -> None:
    load = behind(block).open_loop[0]
    times(block, {MS: 9_950, 1000 * MS: 50})
    load.slices = load.slices[:1]
    load.slices[0].answers, load.slices[0].in_flight_ns = 10_000, 10_000 * MS


@pytest.mark.parametrize(
    ("forge", "verdict", "reason"),
    [
        (engine_said, "void", "behind: 1.1 % odd"),
        (engine_said_of_the_open_loop, "suspect", "at 5,000/s: late"),
        (lambda block: setattr(block, "steal_ns", 800 * MS), "void", "the hypervisor kept 5.7 % of the CPU"),
        (lambda block: setattr(block, "throttled_ns", 70 * MS), "void", "a CPU quota of the cgroup"),
        (lambda block: setattr(block, "swapped_pages", 300), "void", "the machine swapped 300 pages"),
        (lambda block: setattr(block, "clock_step_ns", -40 * MS), "void", "the wall clock was set by −40 ms"),
        (
            lambda block: setattr(block, "longest_stall_ns", 300 * MS),
            "suspect",
            "the generator's core stood still for 300 ms",
        ),
        (little, "void", "behind: the service times are −2.5 % off"),
        (little_under_an_offered_load, "void", "behind at 5,000/s: the service times are +3.0 % off"),
        (ages_at_the_edges, "void", "behind: the service times are +2.6 % off"),
        (stall_of_the_closed_loop, "void", "behind: the mean time is above p99: something stood still"),
        (stall_of_the_only_slice, "suspect", "behind at 5,000/s: the mean time is above p99"),
        (lambda block: block.failures.append(Failure("direct-aa", "it died")), "void", "direct-aa: failed under load"),
    ],
)
def test_a_fault_of_the_instrument_or_the_machine_is_seen(forge: Forgery, verdict: str, reason: str) -> None:
    block = sample.sound_block()
    forge(block)
    judged, reasons, _ = judge_block(block, EXPERIMENT)
    assert judged == verdict
    assert any(words.startswith(reason) for words in sentences(reasons)), reasons


def test_a_void_engine_run_of_a_load_voids_the_block_all_the_same() -> None:
    block = sample.sound_block()
    each_open_slice(block, late=300)
    block.open_ends[0] = End(elapsed_ns=1, generator_cpu_ns=1, validity=Validity.VOID, reasons=["1.1 % odd"])
    odd = Reason(ReasonKind.ENGINE, None, 5000, text="1.1 % odd")
    assert judge_block(block, EXPERIMENT)[:2] == ("void", [odd])


@pytest.mark.parametrize(
    ("forge", "verdict"),
    [
        (lambda block: setattr(block, "steal_ns", 800 * MS), "suspect"),
        (lambda block: setattr(block, "throttled_ns", 70 * MS), "suspect"),
        (stall, "suspect"),
        (lambda block: each_open_slice(block, late=300), "suspect"),
        (little, "void"),
        (engine_said, "void"),
        (lambda block: block.failures.append(Failure("direct-aa", "it died")), "void"),
    ],
)
def test_on_a_machine_that_is_known_to_be_busy_only_the_instrument_voids(forge: Forgery, verdict: str) -> None:
    block = sample.sound_block()
    forge(block)
    judged = judge_block(block, EXPERIMENT, on_busy_machine=True)
    assert (judged.validity, judged.void_loads) == (verdict, [])
    assert judged.reasons


@pytest.mark.parametrize(
    "forge",
    [
        lambda block: setattr(block, "steal_ns", 500 * MS),
        lambda block: setattr(block, "foreign_cpu_ns", 300 * MS),
        lambda block: setattr(block, "clock_step_ns", 4 * MS),
        unknown_conditions,
        lambda block: each_open_slice(block, generator_cpu_ns=1000 * MS, spin_ns=500 * MS),  # polling is waiting
        lambda block: each_open_slice(block, late=240),
        lambda block: each_open_slice(block, not_sent=40),
        lambda block: times(block, {MS: 9_900, 9 * MS: 100}),
        lambda block: block.failures.append(Failure("behind", "it died")),
    ],
)
def test_what_is_within_bounds_or_an_arms_own_voids_nothing(forge: Forgery) -> None:
    block = sample.sound_block()
    forge(block)
    assert judge_block(block, EXPERIMENT) == ("valid", [], [])


def test_the_difference_between_the_baseline_and_its_copy_voids_nothing() -> None:
    """That would choose blocks by their outcome."""
    block = sample.sound_block()
    copy = next(part for part in block.arms if part.copy_of is not None)
    for piece in copy.slices:
        piece.answers, piece.in_flight_ns = 10_000, 10_000 * MS
    assert copy.totals is not None
    copy.totals.service_time = sample.histogram_of({MS: 20_000})
    assert judge_block(block, EXPERIMENT) == ("valid", [], [])


def few(part: ArmBlock) -> None:
    part.slices[0].answers = part.slices[1].answers = 400


def failed(part: ArmBlock) -> None:
    part.slices[0].errors = {"timeout": 50}


def by_an_older_engine(part: ArmBlock) -> None:
    part.slices[0].in_flight_ns = None


@pytest.mark.parametrize("unjudgeable", [few, failed, by_an_older_engine])
def test_littles_law_is_not_judged_where_it_cannot_be(unjudgeable: Callable[[ArmBlock], None]) -> None:
    block = sample.sound_block()
    little(block)
    unjudgeable(behind(block))
    assert judge_block(block, EXPERIMENT)[0] == "valid"


def waiting(block: Block, share: float | None) -> Block:
    """The generator, on one core, waited for it for this share of the slices of `behind`; None: nobody knows."""
    for piece in behind(block).slices:
        piece.run_delay_ns = None if share is None else round(share * piece.elapsed_ns)
    return block


@pytest.mark.parametrize(("share", "verdict"), [(None, "valid"), (0.029, "valid"), (0.031, "suspect")])
def test_a_generator_that_had_to_wait_for_its_core_makes_answers_look_slow(share: float | None, verdict: str) -> None:
    judged = judge_block(waiting(sample.sound_block(), share), EXPERIMENT)
    assert judged.validity == verdict
    assert [(reason.kind, reason.arm) for reason in judged.reasons] == [("run_delay", "behind")] * (verdict != "valid")


def test_a_generator_that_shares_its_core_waits_for_it_as_a_rule() -> None:
    assert judge_block(waiting(sample.sound_block(), 0.4), SHARED).reasons == []


def test_of_an_arm_alone_the_engine_itself_says_that_it_waited() -> None:
    block = waiting(sample.sound_block(), 0.02)
    block.arms, block.open_ends = [behind(block)], []
    sentence = "for 2.0 % of the time the generator waited for its core: other programs ran there"
    block.end = End(elapsed_ns=1, generator_cpu_ns=1, validity=Validity.SUSPECT, reasons=[sentence])
    assert judge_block(block, EXPERIMENT).reasons == [Reason(ReasonKind.RUN_DELAY, value=0.02)]
