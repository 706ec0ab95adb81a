"""Contrasts of a record: what of the blocks the model reads, and which arms it learns from."""

from __future__ import annotations

import math
from statistics import fmean, variance

import msgspec
import pytest
from known import known
from samples.comparisons import six_blocks
from samples.records import MS, block, histogram_of, part, plan_of, rounds_of, slice_of

from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_protocol import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.statistics import random_effects
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.figures import cpu_per_request, throughput
from hopcost.statistics.intervals import of_logs
from hopcost.statistics.random_effects import Contrast
from hopcost.statistics.summary.open_loop import cpu_per_request_at, response_time_at

(EXPERIMENT,) = plan_of().experiments


def three_rounds(number: int, *behind: int) -> Block:
    """Direct and its second run answer 1000 a round."""
    alike = [1000] * len(behind)
    return block(number, rounds_of("direct", *alike), rounds_of("behind", *behind), rounds_of("direct-aa", *alike))


BLOCKS = [three_rounds(0, 400, 420, 410), three_rounds(1, 500, 480, 490), three_rounds(2, 450, 450)]


def paired(*blocks: Block) -> PairedBlocks:
    return PairedBlocks(EXPERIMENT, blocks)


def test_a_contrast_has_the_log_ratio_of_each_block_and_how_rounds_scatter_within_blocks() -> None:
    contrast = known(paired(*BLOCKS).contrast("behind", throughput, "direct", of_difference=False))
    assert contrast.logs == [pytest.approx(math.log(share)) for share in (0.41, 0.49, 0.45)]
    assert contrast.rounds == [3, 3, 2]
    squares = [variance([math.log(answers) for answers in rounds]) * 2 for rounds in ((400, 420, 410), (500, 480, 490))]
    assert contrast.degrees == 5
    assert contrast.variance == pytest.approx(sum(squares) / 5)


def test_a_difference_is_a_share_of_the_mean_of_both_arms() -> None:
    arms = paired(*BLOCKS)
    contrast = known(arms.contrast("behind", throughput, "direct", of_difference=True))
    own, other = (known(arms.values(name, throughput)) for name in ("behind", "direct"))
    level = (fmean(own) + fmean(other)) / 2
    assert contrast.logs == [pytest.approx((first - two) / level) for first, two in zip(own, other, strict=True)]
    (estimate,) = random_effects.estimate([contrast])
    cost = known(arms.difference("behind", throughput, 0.05))
    assert cost.value == pytest.approx(estimate.interval(0.05).value * level)
    assert cost.low == pytest.approx(known(estimate.interval(0.05).low) * level, rel=1e-3), "the second run moderates"


def test_one_round_a_block_tells_nothing_of_rounds() -> None:
    contrast = known(paired(*six_blocks()).contrast("behind", throughput, "direct", of_difference=False))
    assert (contrast.rounds, contrast.variance, contrast.degrees) == ([1] * 6, None, 0)


def test_a_round_without_an_answer_is_not_left_out_of_the_scatter() -> None:
    contrast = known(paired(three_rounds(0, 400, 0, 420), BLOCKS[1]).contrast("behind", throughput, "direct",
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


def record_of_two() -> tuple[list[PlannedExperiment], list[Block]]:
    """Two experiments of the same arms."""
    other = msgspec.structs.replace(EXPERIMENT, name="other")
    wild = [three_rounds(0, 300, 310, 320), three_rounds(1, 600, 610, 620), three_rounds(2, 450, 460, 440)]
    return [EXPERIMENT, other], [*BLOCKS, *(msgspec.structs.replace(start, experiment="other") for start in wild)]


def test_all_arms_of_a_record_tell_how_much_starts_differ_but_not_its_second_runs() -> None:
    experiments, blocks = record_of_two()
    record = RecordBlocks(experiments, blocks)
    contrasts = [
        known(record.of(experiment).contrast(name, throughput, "direct", of_difference=False))
        for experiment in experiments
        for name in ("behind", "direct-aa")
    ]
    learns = [Contrast(contrast.logs, contrast.rounds, contrast.variance, contrast.degrees, learns=number % 2 == 0)
              for number, contrast in enumerate(contrasts)]  # fmt: skip
    estimates = random_effects.estimate(learns)
    calm = record.of(EXPERIMENT)
    assert calm.ratio("behind", throughput, 0.05) == of_logs(estimates[0].interval(0.05))
    assert calm.floor(throughput, 0.05) == of_logs(estimates[1].interval(0.05))
    assert calm.restart_spread("behind", throughput) == estimates[0].restart_spread
    assert known(calm.restart_spread("behind", throughput)) > known(
        paired(*BLOCKS).restart_spread("behind", throughput)
    ), "the other experiment's starts differ more"


def test_what_is_asked_does_not_change_what_was_learned() -> None:
    record = RecordBlocks(*record_of_two()).of(EXPERIMENT)
    before = record.ratio("behind", throughput, 0.05)
    beside_behind = known(record.ratio("direct", throughput, 0.05, "behind"))
    assert record.ratio("behind", throughput, 0.05) == before
    assert beside_behind.value == pytest.approx(1 / known(before).value)


def test_without_a_block_that_has_both_there_is_no_estimate() -> None:
    assert paired().estimate("behind", throughput) is None
    assert paired(BLOCKS[0]).estimate("beside", throughput) is None
    assert paired().difference("behind", throughput, 0.05) is None


def test_a_block_that_lacks_the_figure_takes_the_whole_estimate_and_is_named() -> None:
    arms = paired(BLOCKS[0], three_rounds(1, 0, 0, 0), BLOCKS[2])
    assert arms.estimate("behind", throughput) is None
    assert arms.lacking("behind", throughput) == [2]
    assert arms.lacking("behind", cpu_per_request) == [1, 2, 3], "nobody read it"


def test_void_blocks_do_not_count_and_failures_in_them_do() -> None:
    failing = block(1, part(slice_of("direct", 10)), validity=Validity.VOID)
    failing.failures = [Failure(arm="behind", message="gone")]
    arms = paired(BLOCKS[0], failing)
    assert (arms.numbers, arms.failed) == ([1], {"behind": [2]})
