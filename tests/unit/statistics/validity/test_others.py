"""Other programs' share of the cores: valid, suspect or void, and who they were."""

from __future__ import annotations

import pytest
from samples import blocks as sample
from samples.blocks import MS
from samples.forgeries import EXPERIMENT

from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.block import judge_block


def disturbed(share: float, others: list[OtherProgram] | None = None) -> Block:
    """A sound block beside programs that took this share of its two cores, over all its loads."""
    block = sample.sound_block()
    assert block.end is not None and block.open_ends
    elapsed_ns = block.end.elapsed_ns + sum(end.elapsed_ns for end in block.open_ends)
    block.foreign_cpu_ns = round(share * elapsed_ns * 2)
    block.others = others or []
    return block


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.0, "valid"), (0.029, "valid"), (0.031, "suspect"), (0.099, "suspect"), (0.101, "void")]
)
def test_from_three_percent_a_block_is_suspect_and_above_ten_void(share: float, verdict: str) -> None:
    validity, reasons, _ = judge_block(disturbed(share), EXPERIMENT)
    assert validity == verdict
    assert bool(reasons) == (verdict != "valid")


def test_with_anyway_a_block_is_no_more_than_suspect() -> None:
    assert judge_block(disturbed(0.5), EXPERIMENT, on_busy_machine=True)[0] == "suspect"


def test_the_reason_names_those_that_took_most() -> None:
    programs = [OtherProgram("pytest", 6902, 4000 * MS), OtherProgram("cargo", 81, 2000 * MS)]
    programs.append(OtherProgram("shell", 7, 10 * MS))
    _, reasons, _ = judge_block(disturbed(0.35, programs), EXPERIMENT)
    (reason,) = reasons
    assert reason == Reason(ReasonKind.OTHER_PROGRAMS, value=reason.value, programs=programs[:2])
    assert reason.value == pytest.approx(0.35)


def test_programs_that_took_next_to_nothing_are_not_blamed() -> None:
    _, reasons, _ = judge_block(disturbed(0.35, [OtherProgram("shell", 7, 10 * MS)]), EXPERIMENT)
    assert [reason.programs for reason in reasons] == [[]]
