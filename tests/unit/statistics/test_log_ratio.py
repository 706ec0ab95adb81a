"""Log-ratios of arms in one block, by hand."""

from __future__ import annotations

import math

import pytest
from samples.blocks import block, rounds_of
from samples.records import plan_of

from hopcost.statistics.figures import BlockFigure, throughput
from hopcost.statistics.log_ratio import figures_of_both, log_ratio, log_ratios_by_round

(EXPERIMENT,) = plan_of().experiments
BLOCK = block(0, rounds_of("direct", 1000, 900), rounds_of("behind", 400, 0), rounds_of("direct-aa", 1200, 900))


def test_log_ratios_are_by_round_to_the_mean_of_the_baselines_runs() -> None:
    behind = log_ratios_by_round(BLOCK, EXPERIMENT, "behind", throughput)
    assert behind == [pytest.approx(math.log(400 / 1100)), None], "a round without an answer has none"
    copy = log_ratios_by_round(BLOCK, EXPERIMENT, "direct-aa", throughput)
    assert copy == [pytest.approx(math.log(1.2)), pytest.approx(0.0)], "the copy stands beside the first run alone"


def test_a_round_that_one_of_the_two_lacks_is_no_round() -> None:
    short = block(0, rounds_of("direct", 1000), rounds_of("behind", 500, 400))
    assert log_ratios_by_round(short, EXPERIMENT, "behind", throughput) == [pytest.approx(math.log(0.5))]
    assert log_ratios_by_round(block(0, rounds_of("behind", 500)), EXPERIMENT, "behind", throughput) == []


def test_the_log_ratio_of_a_block_is_of_the_sums_over_its_slices() -> None:
    # behind 400 in 200 ms; the baseline's runs 1900 and 2100 in 200 ms, on average 2000.
    parts = {arm.name: arm for arm in BLOCK.arms}
    there = log_ratio(parts, EXPERIMENT, "behind", "direct", throughput)
    assert there == pytest.approx(math.log(400 / 2000))
    assert log_ratio(parts, EXPERIMENT, "direct", "behind", throughput) == pytest.approx(-math.log(400 / 2000))


def test_quantiles_stand_beside_the_geometric_mean_of_the_baseline_s_runs() -> None:
    """Their runs differ by factors: the logarithm against the arithmetic mean would be off by their scatter."""
    times = {"behind": 8.0, "direct": 1.0, "direct-aa": 4.0}
    quantile = BlockFigure("p99", lambda arm: times[arm.name], scatters_by_factors=True)
    parts = {arm.name: arm for arm in BLOCK.arms}
    assert log_ratio(parts, EXPERIMENT, "behind", "direct", quantile) == pytest.approx(math.log(8 / 2))
    assert log_ratio(parts, EXPERIMENT, "direct-aa", "direct", quantile) == pytest.approx(math.log(4))
    assert figures_of_both(parts, EXPERIMENT, "behind", "direct", quantile) == (8.0, 2.5), "a difference adds up"
