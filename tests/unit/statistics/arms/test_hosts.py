"""Machines as a factor: from five on they are the units, with fewer the blocks are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import pytest
from samples.blocks import plain_block
from samples.records import plan_of
from scipy.stats import t

from hopcost.record.contents.block import Block
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.arms.hosts import host_means, interval_over_hosts, stand_for_their_kind

SITES = "abcdef"


def blocks_on(sites: Sequence[str | None], answers: Sequence[int]) -> list[Block]:
    """One block of each, in which `behind` has so many answers and its baseline 1000."""
    return [
        msgspec.structs.replace(plain_block(number, behind=count), site=site)
        for number, (site, count) in enumerate(zip(sites, answers, strict=True))
    ]


def paired(blocks: Sequence[Block]) -> PairedBlocks:
    return PairedBlocks(plan_of().experiments[0], blocks)


def test_the_interval_over_machines_is_students_of_their_means() -> None:
    values, sites = [0.1, 0.3, 0.2, 0.4, 0.6, 0.5], ["a", "a", "b", "c", "d", "e"]
    means = [0.2, 0.2, 0.4, 0.6, 0.5]
    interval = interval_over_hosts(values, sites, 0.05)
    middle = sum(means) / 5
    spread = math.sqrt(sum((mean - middle) ** 2 for mean in means) / 4 / 5)
    assert interval is not None and interval.low is not None and interval.high is not None
    assert interval.value == pytest.approx(middle)
    assert interval.high - middle == pytest.approx(t.ppf(0.975, 4) * spread)
    assert middle - interval.low == pytest.approx(interval.high - middle)


def test_many_blocks_of_few_machines_do_not_stand_for_their_kind() -> None:
    assert not stand_for_their_kind(["a", "b", "c", "d"] * 20)
    assert not stand_for_their_kind([*"abcde", None]), "a block of no fleet is of no machine"
    assert host_means([], []) == {} and interval_over_hosts([], [], 0.05) is None


def test_from_five_machines_on_more_blocks_of_each_make_no_narrower_ratio() -> None:
    counts = [380, 390, 400, 410, 420, 430]
    once, often = blocks_on(SITES, counts), blocks_on(SITES * 4, counts * 4)
    narrow = [paired(blocks).ratio("behind", figures.throughput, 0.05) for blocks in (once, often)]
    assert narrow[0] is not None and narrow[1] is not None
    assert narrow[0].high == pytest.approx(narrow[1].high) and narrow[0].low == pytest.approx(narrow[1].low)


def test_with_fewer_the_blocks_are_the_units_as_without_a_fleet() -> None:
    counts = [380, 390, 400, 410, 420, 430]
    few, none = paired(blocks_on("abcabc", counts)), paired(blocks_on([None] * 6, counts))
    assert few.ratio("behind", figures.throughput, 0.05) == none.ratio("behind", figures.throughput, 0.05)


def test_differences_follow_the_machines_too() -> None:
    counts = [380, 390, 400, 410, 420, 430]
    once, often = paired(blocks_on(SITES, counts)), paired(blocks_on(SITES * 4, counts * 4))
    first = once.difference("behind", figures.throughput, 0.05)
    second = often.difference("behind", figures.throughput, 0.05)
    assert first is not None and second is not None and first.low is not None
    assert second.low == pytest.approx(first.low)


def test_each_machine_has_its_ratio() -> None:
    ratios = paired(blocks_on("abab", [400, 800, 400, 800])).ratios_by_site("behind", figures.throughput)
    assert ratios == {"a": pytest.approx(0.4), "b": pytest.approx(0.8)}
    assert paired(blocks_on([None], [400])).ratios_by_site("behind", figures.throughput) == {}
