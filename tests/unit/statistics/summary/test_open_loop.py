"""A void load is as if the block had none of it, for all arms and every reader; the block's closed loop counts."""

from __future__ import annotations

import msgspec
import pytest
from samples.blocks import broke_off
from samples.comparisons import RATE_PER_S, of_behind, six_blocks, summary, void_load

from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.summary.open_loop import VoidStarts


def spoilt(blocks: list[Block], *numbers: int) -> list[Block]:
    """The figures under the offered load of these blocks are nonsense, and the load is void there."""

    def spoil(part: ArmBlock) -> ArmBlock:
        (load,) = part.open_loop
        nonsense = [msgspec.structs.replace(piece, cpu_ns=dict.fromkeys(part.hops, 1)) for piece in load.slices]
        return msgspec.structs.replace(part, open_loop=[msgspec.structs.replace(load, slices=nonsense)])

    return [
        void_load(msgspec.structs.replace(block, arms=[spoil(part) for part in block.arms]), 0.06, 0.12)
        if block.number in numbers
        else block
        for block in blocks
    ]


def without(blocks: list[Block], *numbers: int) -> list[Block]:
    """These blocks have no open loop."""
    return [
        msgspec.structs.replace(block, arms=[msgspec.structs.replace(part, open_loop=[]) for part in block.arms])
        if block.number in numbers
        else block
        for block in blocks
    ]


def test_every_figure_is_that_of_blocks_without_the_load() -> None:
    void, never = summary(spoilt(six_blocks(), 0, 3)), summary(without(six_blocks(), 0, 3))
    assert void.arms == never.arms, "figures, comparisons and faults, at saturation and under the load"
    assert void.hop_costs == never.hop_costs
    assert (void.blocks, void.void, void.suspect) == (6, [], [])
    assert void.arms != summary(six_blocks()).arms


def test_the_starts_that_do_not_count_are_told() -> None:
    (load,) = summary(spoilt(six_blocks(), 0, 3)).void_loads
    assert isinstance(load, VoidStarts)
    assert (load.share, load.rate_per_s, load.starts, load.void) == (0.25, RATE_PER_S, 6, [0, 3])
    assert [fault.extent for fault in load.faults] == [0.06, 0.12] * 2
    assert summary(six_blocks()).void_loads == []


def test_the_order_of_the_blocks_changes_nothing() -> None:
    blocks = spoilt(six_blocks(), 0, 3)
    ahead, back = summary(blocks), summary(blocks[::-1])
    for figure, load in (("cpu_per_request", RATE_PER_S), ("response_p50", RATE_PER_S), ("throughput", None)):
        comparison, other = of_behind(ahead, figure, load), of_behind(back, figure, load)
        assert comparison.verdict == other.verdict
        assert (
            comparison.ratio is not None
            and other.ratio is not None
            and comparison.ratio.value == pytest.approx(other.ratio.value)
        )


def test_with_fewer_than_two_starts_there_is_no_verdict_at_that_load() -> None:
    experiment = summary(spoilt(six_blocks(), 0, 1, 2, 3, 4))
    under_load = of_behind(experiment, "cpu_per_request", RATE_PER_S)
    assert (under_load.verdict.word, under_load.no_verdict) == ("no verdict", "from one start: 2 are needed")
    assert of_behind(experiment, "throughput").verdict.word == "slower", "the closed loop stands"
    none = summary(spoilt(six_blocks(), *range(6)))
    assert none.arms[1].comparison("cpu_per_request", RATE_PER_S) is None
    assert [cost.load_per_s for cost in none.hop_costs] == [None]
    assert [len(load.void) for load in none.void_loads] == [6]


def test_a_void_load_of_a_void_block_is_not_counted_twice() -> None:
    blocks = spoilt(six_blocks(), 0)
    blocks[0] = msgspec.structs.replace(blocks[0], validity="void", reasons=[broke_off("it swapped")])
    assert summary(blocks).void_loads == []
