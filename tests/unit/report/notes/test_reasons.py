"""Why blocks are suspect or void, a line for each kind."""

from __future__ import annotations

from samples.records import plain_block, record

from hopcost.generators.engine_protocol import Validity
from hopcost.record.block import Block
from hopcost.report.notes.reasons import reason_lines
from hopcost.statistics.summary.summary import summarise

ARMS = ("direct", "nginx", "tcp", "unix")


def lines(*blocks: Block) -> list[str]:
    (experiment,) = summarise(record(*blocks))
    return reason_lines(experiment)


def faulty(number: int, *reasons: str, validity: Validity = Validity.SUSPECT) -> Block:
    block = plain_block(number)
    block.validity, block.reasons = validity, list(reasons)
    return block


def late(share: float) -> list[str]:
    return [f"{arm}: at 1600/s {share} % of the requests were sent late" for arm in ARMS]


def others(percent: int, programs: str) -> str:
    return f"other programs took {percent} % of the CPU time of 2 cores: {programs}"


def test_a_bad_hour_is_a_line_for_each_kind() -> None:
    blocks = [
        faulty(0, *late(6.1), others(4, "pytest (pid 6902)")),
        faulty(1, *late(7.2), others(9, "pytest (pid 6902), cargo (pid 71)")),
        faulty(2, *late(12)),
        plain_block(3),
        faulty(4, "nginx: its mean time is above its p99", others(5, "pytest (pid 6902)")),
        faulty(5, *late(30), others(12, "cargo (pid 71)"), validity=Validity.VOID),
        faulty(6, *late(40), validity=Validity.VOID),
        plain_block(7),
    ]
    assert lines(*blocks) == [
        "suspect: 3 of 8 blocks (1–3), 4 arms at 1,600/s: 6.1 to 12 % of the requests were sent late",
        "suspect: 3 of 8 blocks (1, 2, 5): other programs took 4 to 9 % of the CPU time of 2 cores: pytest (pid 6902),"
        " cargo (pid 71)",
        "suspect: block 5: nginx: its mean time is above its p99",
        "void: 2 of 8 blocks (6, 7), 4 arms at 1,600/s: 30 to 40 % of the requests were sent late",
        "void: block 6: other programs took 12 % of the CPU time of 2 cores: cargo (pid 71)",
    ]


def test_all_blocks_have_no_numbers_and_one_block_has_its_arms() -> None:
    assert lines(*(faulty(number, "jumped") for number in range(3))) == ["suspect: all 3 blocks: jumped"]
    assert lines(*(faulty(number, "jumped") for number in range(2))) == ["suspect: both blocks: jumped"]
    assert lines(faulty(0, *late(7)), plain_block(1)) == [
        "suspect: block 1, 4 arms at 1,600/s: 7 % of the requests were sent late"
    ]


def test_a_block_without_a_reason_is_told_too() -> None:
    assert lines(faulty(0), plain_block(1)) == ["suspect: block 1: the record has no reason"]
