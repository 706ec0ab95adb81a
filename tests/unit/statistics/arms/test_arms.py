"""Estimates of a record: which arms the model learns from, and what is asked of it."""

from __future__ import annotations

from statistics import fmean

import msgspec
import pytest
from known import known
from samples.comparisons import BLOCKS_OF_ROUNDS, three_rounds
from samples.records import plan_of

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.statistics import random_effects
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import of_logs
from hopcost.statistics.random_effects import Contrast

(EXPERIMENT,) = plan_of().experiments


def paired(*blocks: Block) -> PairedBlocks:
    return PairedBlocks(EXPERIMENT, blocks)


def test_a_difference_is_a_share_of_the_mean_of_both_arms() -> None:
    arms = paired(*BLOCKS_OF_ROUNDS)
    contrast = known(arms.contrast("behind", throughput, "direct", of_difference=True))
    own, other = (known(arms.values(name, throughput)) for name in ("behind", "direct"))
    level = (fmean(own) + fmean(other)) / 2
    assert contrast.logs == [pytest.approx((first - two) / level) for first, two in zip(own, other, strict=True)]
    (estimate,) = random_effects.estimate([contrast])
    cost = known(arms.difference("behind", throughput, 0.05))
    assert cost.value == pytest.approx(estimate.interval(0.05).value * level)
    assert cost.low == pytest.approx(known(estimate.interval(0.05).low) * level, rel=1e-3), "the second run moderates"


def record_of_two() -> tuple[list[PlannedExperiment], list[Block]]:
    """Two experiments of the same arms."""
    other = msgspec.structs.replace(EXPERIMENT, name="other")
    wild = [three_rounds(0, 300, 310, 320), three_rounds(1, 600, 610, 620), three_rounds(2, 450, 460, 440)]
    others = [msgspec.structs.replace(start, experiment="other") for start in wild]
    return [EXPERIMENT, other], [*BLOCKS_OF_ROUNDS, *others]


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
        paired(*BLOCKS_OF_ROUNDS).restart_spread("behind", throughput)
    ), "the other experiment's starts differ more"


def test_what_is_asked_does_not_change_what_was_learned() -> None:
    record = RecordBlocks(*record_of_two()).of(EXPERIMENT)
    before = record.ratio("behind", throughput, 0.05)
    beside_behind = known(record.ratio("direct", throughput, 0.05, "behind"))
    assert record.ratio("behind", throughput, 0.05) == before
    assert beside_behind.value == pytest.approx(1 / known(before).value)


def test_without_a_block_that_has_both_there_is_no_estimate() -> None:
    assert paired().estimate("behind", throughput) is None
    assert paired(BLOCKS_OF_ROUNDS[0]).estimate("beside", throughput) is None
    assert paired().difference("behind", throughput, 0.05) is None
