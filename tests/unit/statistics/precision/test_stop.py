"""A run stops on the width of the intervals that its report would print, never on where they lie."""

from __future__ import annotations

import msgspec
import pytest
from known import known
from samples.comparisons import arm, six_blocks
from samples.records import plan_of, record

from hopcost.plan.plan import Plan
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.run import Ending, StopReason
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.precision import stop
from hopcost.statistics.summary.summary import summarise

EXPERIMENT = plan_of().experiments[0]
OTHERS = ("second", "third", "fourth", "fifth")


def is_enough(blocks: list[Block], precision: float = 0.03) -> bool:
    return stop.is_precise_enough(PairedBlocks(EXPERIMENT, blocks), error=0.035, precision=precision)


@pytest.mark.parametrize("behind", [0.1, 0.5, 0.99, 1.0, 2.0])
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
        return stop.undecided_arms(PairedBlocks(EXPERIMENT, six_blocks(behind)), names, error=0.01)

    assert undecided(0.5, "behind") == undecided(1.5, "behind") == []
    assert undecided(1.0, "behind") == ["behind"]
    assert undecided(0.5) == ["beside"], "all that are compared; this one has no block"
    assert undecided(1.0, "beside") == ["beside"]


# Of several experiments


def plan_of_five() -> Plan:
    plan = plan_of()
    others = [msgspec.structs.replace(EXPERIMENT, name=name) for name in OTHERS]
    return msgspec.structs.replace(plan, experiments=[EXPERIMENT, *others])


def with_others(blocks: list[Block], noise: float, behind: float = 0.5) -> list[Block]:
    """The blocks, and as many of each other experiment, whose starts differ by so much."""
    return blocks + [
        msgspec.structs.replace(block, experiment=name) for name in OTHERS for block in six_blocks(behind, noise)
    ]


def arms_in(blocks: list[Block]) -> PairedBlocks:
    return RecordBlocks(plan_of_five().experiments, blocks).of(EXPERIMENT)


def width_in_report(blocks: list[Block]) -> float:
    """The wider of both ratios in the report of a run that stopped just now, since it was precise enough."""
    run = msgspec.structs.replace(
        record(plan=plan_of_five()).run, endings=[Ending(experiment="cost", why=StopReason.PRECISION, detail="")]
    )
    first = summarise(record(*blocks, plan=plan_of_five(), run=run))[0]
    behind = next(arm for arm in first.arms if arm.name == "behind")
    return max(known(known(ratio).half_width) for ratio in (behind.ratio, behind.cpu_ratio))


@pytest.mark.parametrize("noise", [0.001, 0.05])
def test_the_width_at_a_look_is_the_reports(noise: float) -> None:
    """The other experiments tell how much starts differ, so they narrow or widen it."""
    blocks = with_others(six_blocks(noise=0.008), noise)
    width, alone = width_in_report(blocks), width_in_report(blocks[:6])
    assert abs(width / alone - 1) > 0.02, "so that it matters which of them is looked at"
    for precision in (0.999 * width, 1.001 * width):
        is_stopping = stop.is_precise_enough(arms_in(blocks), error=0.035, precision=precision)
        assert is_stopping is (precision > width)


@pytest.mark.parametrize("precision", [0.01, 0.02, 0.03, 0.04])
def test_who_is_faster_does_not_matter_in_any_experiment(precision: float) -> None:
    decisions = {
        stop.is_precise_enough(
            arms_in(with_others(six_blocks(own, noise=0.008), 0.01, others)), error=0.035, precision=precision
        )
        for own, others in ((0.5, 0.5), (2.0, 0.5), (0.5, 2.0), (2.0, 2.0))
    }
    assert len(decisions) == 1
