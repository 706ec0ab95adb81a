"""Which block is next: tables of finished blocks and of the time left, without a rig."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from samples.blocks import broke_off, plain_block
from samples.comparisons import six_blocks
from samples.records import plan_of

from hopcost.measure.blocks.next_block import FinishedBlocks, NextBlock
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan
from hopcost.plan.until import Until
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.run import Ending, StopReason


def after(blocks: Sequence[Block], seconds_left: float = 1000.0, quick: bool = False) -> NextBlock | Ending:
    """What comes after these blocks."""
    plan = msgspec.structs.replace(plan_of(quick=quick), precision=0.06)  # blocks of one round are no narrower
    return after_in(plan, blocks, seconds_left)


def after_in(
    plan: Plan, blocks: Sequence[Block], seconds_left: float = 1000.0, others: Sequence[Block] = ()
) -> NextBlock | Ending:
    """What comes after these blocks of the first experiment, beside those of others."""
    finished = FinishedBlocks(plan, plan.experiments[0])
    numbered = [msgspec.structs.replace(block, number=number) for number, block in enumerate(blocks)]
    for block in numbered:
        finished.add(block)
    return finished.next(seconds_left, [*numbered, *others])


def void(number: int = 0) -> Block:
    return msgspec.structs.replace(plain_block(number), validity=Validity.VOID, reasons=[broke_off("others were busy")])


def failed(arm: str) -> Block:
    return msgspec.structs.replace(plain_block(0), failures=[Failure(arm=arm, message="it ended", hint=None)])


def test_the_first_block_has_all_arms_and_decides_its_own_rates() -> None:
    step = after([])
    assert isinstance(step, NextBlock)
    assert (step.number, step.rates, step.forecast) == (0, None, None)
    assert step.arms == plan_of().experiments[0].arms


def test_there_is_a_first_block_without_any_time() -> None:
    assert isinstance(after([], seconds_left=-1.0), NextBlock)


def test_an_arm_that_failed_is_in_no_further_block() -> None:
    step = after([failed("behind")])
    assert isinstance(step, NextBlock)
    assert "behind" not in [arm.name for arm in step.arms]


def test_a_void_block_is_repeated_under_the_next_number() -> None:
    step = after([plain_block(0), void()])
    assert isinstance(step, NextBlock)
    assert step.number == 2


def test_the_rates_of_the_first_valid_block_are_those_of_all() -> None:
    blocks = six_blocks()
    step = after([void(), blocks[0]])
    assert isinstance(step, NextBlock)
    assert step.rates == {load.share: load.rate_per_s for load in blocks[0].arms[0].open_loop}


@pytest.mark.parametrize(
    ("blocks", "seconds_left", "quick", "why", "detail"),
    [
        (six_blocks(noise=0.0), 1000.0, True, StopReason.PRECISION, "after 6 blocks every ratio is within ±6 %"),
        (six_blocks(noise=0.0), 1000.0, False, StopReason.PRECISION, "after 6 blocks every ratio is within"),
        ([plain_block(0)], 0.0, False, StopReason.TIME, "1 block in the time given"),
        (six_blocks()[:2], 0.0, False, StopReason.TIME, "2 blocks in the time given"),
        ([plain_block(0), void()], 0.0, False, StopReason.FAILED, "1 of 2 blocks valid: others were busy"),
        ([failed("direct")], 1000.0, False, StopReason.FAILED, "the baseline failed"),
        ([failed("direct-aa")], 1000.0, False, StopReason.FAILED, "the baseline failed"),
        ([void()] * (METHOD.max_void_blocks + 1), 1000.0, False, StopReason.FAILED, "4 void blocks: others were busy"),
    ],
)
def test_why_an_experiment_ends(
    blocks: list[Block], seconds_left: float, quick: bool, why: StopReason, detail: str
) -> None:
    ending = after(blocks, seconds_left, quick)
    assert isinstance(ending, Ending)
    assert (ending.why, ending.detail[: len(detail)]) == (why, detail)


def test_blocks_that_differ_are_followed_by_more() -> None:
    blocks = six_blocks(noise=0.2)
    assert isinstance(after(blocks), NextBlock)
    assert isinstance(after(blocks * 5), NextBlock), "there is no most"


def test_between_looks_nobody_looks() -> None:
    blocks = six_blocks(noise=0.0)
    assert isinstance(after([*blocks, blocks[0]]), NextBlock)
    assert isinstance(after([*blocks, *blocks[:2]]), Ending)


def test_until_decided_ends_at_its_own_looks_whatever_the_width() -> None:
    plan = msgspec.structs.replace(plan_of(), until=Until.DECIDED, decide=["behind"], precision=0.001)

    def ending_after(behind: float, number: int, noise: float = 0.01) -> StopReason | None:
        blocks = six_blocks(behind, noise)
        step = after_in(plan, [blocks[count % 6] for count in range(number)])
        return step.why if isinstance(step, Ending) else None

    assert ending_after(0.5, 3) is None, "no look"
    assert ending_after(0.5, 4) == StopReason.DECIDED
    assert ending_after(0.5, 6) is None, "a look at widths is none at directions"
    assert ending_after(0.5, 8) == StopReason.DECIDED
    assert ending_after(1.0, 16) is None, "an arm that stays open ends with the time"


def test_a_look_is_at_the_interval_that_all_blocks_of_the_run_give() -> None:
    """Four quiet experiments beside it tell that starts hardly differ: then fewer blocks are enough."""
    plan = plan_of()
    names = ("second", "third", "fourth", "fifth")
    experiments = [msgspec.structs.replace(plan.experiments[0], name=name) for name in ("cost", *names)]
    plan = msgspec.structs.replace(plan, experiments=experiments, precision=0.03)
    blocks = six_blocks(noise=0.008)
    quiet = [msgspec.structs.replace(block, experiment=name) for name in names for block in six_blocks(noise=0.0)]
    assert isinstance(after_in(plan, blocks), NextBlock)
    ending = after_in(plan, blocks, others=quiet)
    assert isinstance(ending, Ending) and ending.why == StopReason.PRECISION
