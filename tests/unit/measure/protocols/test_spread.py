"""The spread of pairs out of forged blocks, and the time that it foretells."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from samples import blocks as sample
from samples import records

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.record.contents.block import Block
from hopcost.statistics.precision import looks, precision
from hopcost.statistics.precision.precision import Variances
from hopcost.statistics.questions import machine_spread
from hopcost.statistics.questions.machine_spread import MachineSpread

EXPERIMENT = msgspec.structs.replace(records.plan_of().experiments[0], slice_ns=100 * sample.MS)


def block_of(first: list[int], second: list[int], cpu_ns: int | None = 1_000_000) -> Block:
    """Rounds of slices of the baseline and its second run, with these answers."""
    parts = [
        sample.rounds_of(name, *answers, cpu_ns=cpu_ns) for name, answers in (("direct", first), ("direct-aa", second))
    ]
    return sample.block(0, *parts)


def test_the_spread_by_hand() -> None:
    """Log-ratios of +l and -l have a standard deviation of l × √(4/3) over four pairs."""
    log = math.log(1.1)
    seen = machine_spread.judge(block_of([1000, 1100, 1000, 1100], [1100, 1000, 1100, 1000]), EXPERIMENT)
    assert seen.pairs == 4 and seen.slice_ns == 100 * sample.MS
    assert seen.throughput == pytest.approx(1.96 * log * math.sqrt(4 / 3))
    assert seen.cpu_per_request == pytest.approx(seen.throughput), "as much CPU time in each slice"


def test_a_difference_of_the_two_runs_is_no_spread() -> None:
    seen = machine_spread.judge(block_of([1000, 2000, 3000], [1100, 2200, 3300]), EXPERIMENT)
    assert seen.throughput == pytest.approx(0.0, abs=1e-9)


def test_what_was_not_read_is_unknown_and_what_was_not_answered_is_an_error() -> None:
    seen = machine_spread.judge(block_of([1000, 1100], [1000, 1000], cpu_ns=None), EXPERIMENT)
    assert seen.cpu_per_request is None and "unknown in CPU per request" in machine_spread.words(seen)[0]
    with pytest.raises(MeasurementFailed, match="a slice without an answer"):
        machine_spread.judge(block_of([1000, 0], [1000, 1000]), EXPERIMENT)


def test_more_spread_takes_longer_and_is_never_too_much() -> None:
    ways = [machine_spread.forecast(sigma**2, 0.01) for sigma in (0.002, 0.013, 0.06, 0.16)]
    assert [way.seconds for way in ways] == sorted(way.seconds for way in ways)
    assert all(way.half_width <= METHOD.precision and looks.is_look(way.blocks) for way in ways)
    assert ways[0].seconds < 60 < ways[-1].seconds


def test_starts_that_differ_more_take_more_of_them() -> None:
    one_core, workers = (machine_spread.forecast(0.013**2, restarts) for restarts in machine_spread.RESTARTS)
    assert one_core.blocks == 6 and workers.blocks == 8
    spread = Variances(within=0.013**2, between=0.03**2)
    assert workers.half_width == precision.half_width(spread, 8, workers.rounds, METHOD.look_error, contrasts=1)


def test_pairs_of_a_full_run_scatter_by_what_stays_for_seconds() -> None:
    """Visits of 0.9 s are windows of 4 slices of 100 ms after 100 ms; by hand over 8 slices, one difference."""
    experiment = msgspec.structs.replace(EXPERIMENT, settle_ns=100 * sample.MS)
    new_each_time = [0.06, -0.06] * 4
    assert machine_spread.variance_of_full_pairs(new_each_time, experiment) == pytest.approx(0.0, abs=1e-12)
    stays = [0.06] * 4 + [-0.06] * 4
    assert machine_spread.variance_of_full_pairs(stays, experiment) == pytest.approx(0.12**2)
    dice = np.random.default_rng(1)
    white = dice.normal(0.0, 0.1, 20_000).tolist()
    assert machine_spread.variance_of_full_pairs(white, experiment) == pytest.approx(2 * 0.01 / 4, rel=0.1)


def test_levels_come_in_the_order_of_time() -> None:
    first = sample.part(*(msgspec.structs.replace(sample.slice_of("direct", 1000), start_ns=at) for at in (0, 300)))
    second = sample.part(
        *(msgspec.structs.replace(sample.slice_of("direct-aa", 2000), start_ns=at) for at in (100, 200))
    )
    known = machine_spread.levels([first, second])
    assert [each - known[0] for each in known] == pytest.approx([0, math.log(2), math.log(2), 0])


def test_the_words() -> None:
    forecasts = [machine_spread.forecast(0.003**2, restarts) for restarts in machine_spread.RESTARTS]
    seen = MachineSpread(
        pairs=25, slice_ns=100 * sample.MS, throughput=0.0283, cpu_per_request=0.031, forecasts=forecasts
    )
    few, many = forecasts
    assert machine_spread.words(seen) == [
        "spread of 25 pairs of 100 ms slices, the embedded origin against itself: 95 of 100 within ±2.8% in throughput,"
        " ±3.1% in CPU per request",
        f"±3% for two arms will take about {few.seconds:.0f} s ({few.blocks} starts) if starts differ by 1%"
        f" or {many.seconds:.0f} s ({many.blocks} starts) if starts differ by 3%",
    ]
