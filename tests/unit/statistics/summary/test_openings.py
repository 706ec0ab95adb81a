"""Which openings went to one worker, and what that did to throughput."""

from __future__ import annotations

import pytest
from samples.blocks import block, rounds_of

from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.summary.openings import WorkersLuck, workers_luck

EVEN, ALONE, NEARLY_ALONE = [0, 50, 50], [0, 0, 100], [7, 89, 11]


def reopened(arm: str, *rounds: tuple[int, list[int]]) -> ArmBlock:
    """An arm with these answers and this CPU time of its processes, round by round."""
    part = rounds_of(arm, *(answers for answers, _ in rounds))
    for piece, (_, used) in zip(part.slices, rounds, strict=True):
        piece.process_cpu_ns = {part.hops[0]: used}
    return part


def luck(*blocks: Block) -> WorkersLuck:
    (own,) = workers_luck(blocks)
    return own


def test_openings_of_one_worker_are_counted_and_compared_with_the_others() -> None:
    behind = reopened("behind", (800, ALONE), (1000, EVEN), (1000, NEARLY_ALONE))
    own = luck(block(0, rounds_of("direct", 500, 500, 500), behind))
    assert (own.arm, own.workers, own.openings, own.one_got_everything) == ("behind", 2, 3, 1)
    assert own.throughput_change == pytest.approx(-0.2)


def test_what_the_machine_did_to_a_round_is_taken_off() -> None:
    behind = reopened("behind", (400, ALONE), (1000, EVEN))
    own = luck(block(0, rounds_of("direct", 250, 500), behind))
    assert own.throughput_change == pytest.approx(-0.2)


def test_openings_of_all_blocks_and_of_the_baselines_second_run_count() -> None:
    blocks = [
        block(number, reopened("direct", (1000, EVEN)), reopened("direct-aa", (1000, ALONE))) for number in range(2)
    ]
    own = luck(*blocks)
    assert (own.arm, own.openings, own.one_got_everything) == ("direct", 4, 2)
    assert own.throughput_change == pytest.approx(0)


def test_with_openings_all_alike_there_is_nothing_to_compare_with() -> None:
    own = luck(block(0, reopened("behind", (800, ALONE), (1000, ALONE))))
    assert (own.one_got_everything, own.throughput_change) == (2, None)


def test_one_worker_and_connections_that_are_kept_have_no_luck() -> None:
    assert workers_luck([block(0, rounds_of("direct", 500), reopened("behind", (400, [0, 100])))]) == []
