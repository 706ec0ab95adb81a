"""Claims about soaks: throughput and memory that keep, and soaks that were too short."""

from __future__ import annotations

import pytest
from samples.blocks import MS, block, part, slice_of
from samples.questions.judgements import compare, record_of, result_of
from samples.sweeps import planned

from hopcost.plan.turns import Turns
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import MemorySample
from hopcost.record.contents.run import Record
from hopcost.statistics.questions.claims.decision import ClaimOutcome
from hopcost.suites.articles.claim import ClaimFigure, Relation


def soak_block(number: int, behind: int, memory_bytes: int) -> Block:
    slices = [slice_of("direct", 1000), slice_of("behind", behind), slice_of("direct-aa", 1000)]
    for piece in slices:
        piece.start_ns = number * 150_000 * MS
    start = block(number, *map(part, slices))
    start.arms[1].memory_samples = [
        MemorySample(elapsed_ns=number * 150_000 * MS, resident_bytes=memory_bytes + number % 3)
    ]
    return start


def soak(behind_at_the_end: int, memory_grows: float, length_s: float = 1800.0) -> Record:
    blocks = []
    for number in range(12):
        share = number / 11
        behind = round(1000 + (behind_at_the_end - 1000) * share) + number % 3
        blocks.append(soak_block(number, behind, round(2**30 * memory_grows**share)))
    return record_of(planned(turns=Turns.SOAK, soak_s=length_s, soak_asked_s=1800), *blocks)


STEADY = compare(Relation.ABOUT, 1.0, figure=ClaimFigure.DRIFT, tolerance=0.05)
STEADY_MEMORY = compare(Relation.ABOUT, 1.0, figure=ClaimFigure.MEMORY_DRIFT, tolerance=0.25)


def test_a_soak_that_keeps_its_throughput_and_one_that_does_not() -> None:
    assert result_of(STEADY, soak(1000, 1.0)).outcome is ClaimOutcome.HOLDS
    falling = result_of(STEADY, soak(800, 1.0))
    assert falling.outcome is ClaimOutcome.DOES_NOT_HOLD
    assert falling.measured is not None
    assert falling.measured.value == pytest.approx(0.8, abs=0.02)


def test_memory_of_a_soak() -> None:
    assert result_of(STEADY_MEMORY, soak(1000, 1.1)).outcome is ClaimOutcome.HOLDS
    assert result_of(STEADY_MEMORY, soak(1000, 2.0)).outcome is ClaimOutcome.DOES_NOT_HOLD


def test_a_shorter_soak_can_refute_and_cannot_confirm() -> None:
    short = result_of(STEADY, soak(1000, 1.0, length_s=240.0))
    assert (short.outcome, short.reason) == (ClaimOutcome.NOT_SETTLED, "over 240 s, the article's over 1800 s")
    assert result_of(STEADY, soak(800, 1.0, length_s=240.0)).outcome is ClaimOutcome.DOES_NOT_HOLD
