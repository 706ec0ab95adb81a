"""A run stops on the width of its intervals, never on where they lie."""

from __future__ import annotations

import pytest
from samples.comparisons import arm, six_blocks
from samples.records import plan_of

from hopcost.record.block import Block, Failure
from hopcost.statistics import stop

EXPERIMENT = plan_of().experiments[0]


def is_enough(blocks: list[Block], precision: float = 0.03) -> bool:
    return stop.is_precise_enough(EXPERIMENT, blocks, error=0.035, precision=precision)


@pytest.mark.parametrize("behind", [0.1, 0.5, 0.99, 1.0])
def test_narrow_is_enough_and_wide_is_not_whatever_the_ratio(behind: float) -> None:
    assert is_enough(six_blocks(behind, noise=0.002))
    assert not is_enough(six_blocks(behind, noise=0.05))


def test_how_narrow_is_asked() -> None:
    blocks = six_blocks(noise=0.008)
    assert is_enough(blocks, 0.04) and not is_enough(blocks, 0.03)


def test_cpu_has_to_be_as_narrow_as_throughput() -> None:
    blocks = six_blocks()
    for number, block in enumerate(blocks):
        block.arms[1] = arm("behind", 5_000, 110 * (1 + number % 2))
    assert not is_enough(blocks)


def test_an_arm_that_failed_is_not_waited_for() -> None:
    blocks = six_blocks(noise=0.05)
    blocks[0].failures.append(Failure(arm="behind", message="gone"))
    assert not is_enough(blocks), "nothing is left to be precise about"


def test_nothing_is_precise_before_there_are_blocks() -> None:
    assert not is_enough([])


def test_arms_are_decided_by_their_direction_and_only_those_asked_about() -> None:
    def undecided(behind: float, *names: str) -> list[str]:
        return stop.undecided_arms(EXPERIMENT, six_blocks(behind), names, error=0.01)

    assert undecided(0.5, "behind") == undecided(1.5, "behind") == []
    assert undecided(1.0, "behind") == ["behind"]
    assert undecided(0.5) == ["beside"], "all that are compared; this one has no block"
    assert undecided(1.0, "beside") == ["beside"]
