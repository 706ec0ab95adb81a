"""When blocks are enough."""

from __future__ import annotations

import pytest
from samples.comparisons import arm, six_blocks
from samples.records import plan_of

from hopcost.statistics import stop


@pytest.mark.parametrize(("noise", "behind", "settled"), [(0.002, 0.5, True), (0.05, 0.5, True), (0.05, 0.99, False)])
def test_blocks_are_enough_when_intervals_are_narrow_or_clear_of_the_margin(
    noise: float, behind: float, settled: bool
) -> None:
    experiment = plan_of().experiments[0]
    blocks = six_blocks(behind, noise)
    for each in blocks:  # the A/A arm at rest
        each.arms[2] = arm("direct-aa", 10_000, 100, 20.0)
    assert stop.is_precise_enough(experiment, blocks, error=0.05, margin=0.02, target=0.01) is settled


def test_nothing_is_settled_before_there_are_blocks() -> None:
    assert not stop.is_precise_enough(plan_of().experiments[0], [], error=0.05, margin=0.02, target=0.01)
