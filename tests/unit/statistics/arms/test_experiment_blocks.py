"""Contrasts of an experiment: what of its blocks the model reads."""

from __future__ import annotations

import math
from statistics import variance

import msgspec
import pytest
from known import known
from samples.blocks import MS, block, histogram_of, part, slice_of
from samples.comparisons import BLOCKS_OF_ROUNDS, six_blocks, three_rounds
from samples.records import plan_of

from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.statistics.arms.experiment_blocks import ExperimentBlocks
from hopcost.statistics.figures import cpu_per_request, throughput
from hopcost.statistics.summary.open_loop import cpu_per_request_at, response_time_at

(EXPERIMENT,) = plan_of().experiments


def paired(*blocks: Block) -> ExperimentBlocks:
    return ExperimentBlocks(EXPERIMENT, blocks)


def test_a_contrast_has_the_log_ratio_of_each_block_and_how_rounds_scatter_within_blocks() -> None:
    contrast = known(paired(*BLOCKS_OF_ROUNDS).contrast("behind", throughput, "direct", of_difference=False))
    assert contrast.logs == [pytest.approx(math.log(share)) for share in (0.41, 0.49, 0.45)]
    assert contrast.rounds == [3, 3, 2]
    squares = [variance([math.log(answers) for answers in rounds]) * 2 for rounds in ((400, 420, 410), (500, 480, 490))]
    assert contrast.degrees == 5
    assert contrast.variance == pytest.approx(sum(squares) / 5)


def test_one_round_a_block_tells_nothing_of_rounds() -> None:
    contrast = known(paired(*six_blocks()).contrast("behind", throughput, "direct", of_difference=False))
    assert (contrast.rounds, contrast.variance, contrast.degrees) == ([1] * 6, None, 0)


def test_a_round_without_an_answer_is_not_left_out_of_the_scatter() -> None:
    contrast = known(paired(three_rounds(0, 400, 0, 420), BLOCKS_OF_ROUNDS[1]).contrast("behind", throughput, "direct",
                                                                             of_difference=False))  # fmt: skip
    assert (contrast.rounds, contrast.variance) == ([1, 1], None)


def with_times_by_slice(blocks: list[Block], samples: int) -> list[Block]:
    """Two slices of an offered load, the second slower: by 20 %, and behind by 30 %."""
    for arm in (arm for start in blocks for arm in start.arms):
        (load,) = arm.open_loop
        slower = 1.3 if arm.name == "behind" else 1.2
        load.slices = [
            msgspec.structs.replace(
                load.slices[0], round=number, response_time=histogram_of({round(MS * slower**number): samples})
            )
            for number in range(2)
        ]
    return blocks


def test_response_times_are_by_slice() -> None:
    arms = paired(*with_times_by_slice(six_blocks(), samples=2000))
    for quantile in ("p50", "p99"):
        contrast = known(arms.contrast("behind", response_time_at(0.25, quantile), "direct", of_difference=False))
        assert (contrast.rounds, contrast.degrees) == ([2] * 6, 6)
        assert contrast.variance == pytest.approx(math.log(1.3 / 1.2) ** 2 / 2, rel=0.02)
        assert contrast.logs == [pytest.approx(math.log(350 / 300), rel=0.01)] * 6, "of the block's own histogram"


def test_a_quantile_with_too_few_samples_in_a_slice_is_by_block() -> None:
    arms = paired(*with_times_by_slice(six_blocks(), samples=1999))
    p99, p50 = (
        known(arms.contrast("behind", response_time_at(0.25, quantile), "direct", of_difference=False))
        for quantile in ("p99", "p50")
    )
    assert (p99.rounds, p99.variance) == ([1] * 6, None)
    assert p50.rounds == [2] * 6


def test_response_times_without_histograms_of_slices_are_by_block() -> None:
    contrast = known(paired(*six_blocks()).contrast("behind", response_time_at(0.25, "p50"), "direct",
                                                    of_difference=False))  # fmt: skip
    assert (contrast.rounds, contrast.variance) == ([1] * 6, None)


def test_rounds_of_an_offered_load_are_its_own() -> None:
    blocks = six_blocks(noise=0.0)
    for arm in (arm for start in blocks for arm in start.arms):
        (load,) = arm.open_loop
        first = load.slices[0]
        dearer = {hop: (ns or 0) * 2 for hop, ns in first.cpu_ns.items()} if arm.name == "behind" else first.cpu_ns
        load.slices = [first, msgspec.structs.replace(first, round=1, cpu_ns=dearer)]
    contrast = known(paired(*blocks).contrast("behind", cpu_per_request_at(0.25), "direct", of_difference=False))
    assert (contrast.rounds, contrast.degrees) == ([2] * 6, 6)
    assert contrast.variance == pytest.approx(math.log(2) ** 2 / 2)


def test_a_block_that_lacks_the_figure_takes_the_whole_estimate_and_is_named() -> None:
    arms = paired(BLOCKS_OF_ROUNDS[0], three_rounds(1, 0, 0, 0), BLOCKS_OF_ROUNDS[2])
    assert arms.contrast("behind", throughput, "direct", of_difference=False) is None
    assert arms.lacking("behind", throughput) == [2]
    assert arms.lacking("behind", cpu_per_request) == [1, 2, 3], "nobody read it"


def test_void_blocks_do_not_count_and_failures_in_them_do() -> None:
    failing = block(1, part(slice_of("direct", 10)), validity=Validity.VOID)
    failing.failures = [Failure(arm="behind", message="gone")]
    arms = paired(BLOCKS_OF_ROUNDS[0], failing)
    assert (arms.numbers, arms.failed) == ([1], {"behind": [2]})
