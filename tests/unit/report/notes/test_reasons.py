"""Why blocks are suspect or void, a line for each kind."""

from __future__ import annotations

from samples.blocks import broke_off, plain_block
from samples.records import record

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.report.notes.reasons import reason_lines
from hopcost.statistics.summary.summary import summarise

ARMS = ("direct", "nginx", "tcp", "unix")
LATE = "of the requests were sent late though a connection was free"
PYTEST, CARGO = OtherProgram("pytest", 6902, 1), OtherProgram("cargo", 71, 1)


def lines(*blocks: Block) -> list[str]:
    (experiment,) = summarise(record(*blocks))
    return reason_lines(experiment)


def faulty(number: int, *reasons: Reason, validity: Validity = Validity.SUSPECT) -> Block:
    block = plain_block(number)
    block.validity, block.reasons = validity, list(reasons)
    return block


def late(share: float) -> list[Reason]:
    return [Reason(ReasonKind.LATE, arm, 1600, share) for arm in ARMS]


def others(share: float, *programs: OtherProgram) -> Reason:
    return Reason(ReasonKind.OTHER_PROGRAMS, value=share, programs=list(programs))


def test_a_bad_hour_is_a_line_for_each_kind() -> None:
    blocks = [
        faulty(0, *late(0.061), others(0.04, PYTEST)),
        faulty(1, *late(0.072), others(0.09, PYTEST, CARGO)),
        faulty(2, *late(0.12)),
        plain_block(3),
        faulty(4, Reason(ReasonKind.STOOD_STILL, "nginx"), others(0.05, PYTEST)),
        faulty(5, *late(0.3), others(0.12, CARGO), validity=Validity.VOID),
        faulty(6, *late(0.4), validity=Validity.VOID),
        plain_block(7),
    ]
    assert lines(*blocks) == [
        f"disturbed: 3 of 8 starts (1–3), 4 stacks at 1,600/s: 6.1 to 12 % {LATE}",
        "disturbed: 3 of 8 starts (1, 2, 5): other programs used 4 to 9 % of the CPU: pytest (pid 6902), cargo"
        " (pid 71)",
        "disturbed: start 5, nginx: the mean time is above p99: something stood still",
        f"void: 2 of 8 starts (6, 7), 4 stacks at 1,600/s: 30 to 40 % {LATE}",
        "void: start 6: other programs used 12 % of the CPU: cargo (pid 71)",
    ]


def test_all_blocks_have_no_numbers_and_one_block_has_its_arms() -> None:
    jumped = broke_off("jumped")
    assert lines(*(faulty(number, jumped) for number in range(3))) == ["disturbed: all 3 starts: jumped"]
    assert lines(*(faulty(number, jumped) for number in range(2))) == ["disturbed: both starts: jumped"]
    assert lines(faulty(0, *late(0.07)), plain_block(1)) == [f"disturbed: start 1, 4 stacks at 1,600/s: 7 % {LATE}"]


def test_a_block_without_a_reason_is_told_too() -> None:
    assert lines(faulty(0), plain_block(1)) == ["disturbed: start 1: the record has no reason"]
