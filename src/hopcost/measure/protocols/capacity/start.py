"""One start: every arm fresh, checked, warmed up and loaded fully for a moment; then probe after probe."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.measure.blocks.block import note_failures, recording, start
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.engine import load_closed
from hopcost.plan.plan import PlannedArm
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block, Failure
from hopcost.stacks.client import check

Probing = Callable[[Block, list[CheckedArm]], None]


def measure_start(
    context: BlockContext, arms: list[PlannedArm], number: int, warm_up: WarmUp, probe: Probing
) -> tuple[Block, bool]:
    """Run a start over these arms; `probe` offers the rates. The block, and whether somebody stopped it meanwhile.

    What was probed until then counts. Nothing that a program, an arm or the engine does wrong is raised.
    """
    context.watcher.block_begins(context.experiment, number)
    is_stopped = False
    with recording(context, number) as block, contextlib.ExitStack() as stacks:
        ready = _start_all(context, arms, block, stacks)
        load_closed(context, block, ready, rounds=1, warm_up=warm_up)
        try:
            standing = [arm for arm in ready if arm.stack.failure() is None]
            if standing and block.end is not None and block.end.validity is not Validity.VOID:
                probe(block, standing)
        except KeyboardInterrupt:
            is_stopped = True
        note_failures(block, [arm.stack for arm in ready])
    return block, is_stopped


def _start_all(
    context: BlockContext, arms: list[PlannedArm], block: Block, stacks: contextlib.ExitStack
) -> list[CheckedArm]:
    """Every arm started anew and compared with the first; those that fail are noted in the block."""
    expect = context.experiment.workload.expect
    ready: list[CheckedArm] = []
    for arm in sorted(arms, key=lambda arm: arm.name != context.experiment.baseline):
        try:
            checked = start(context, arm, block.number, stacks)
            if ready:
                check.compare_answers(ready[0].arm.name, ready[0].answer, arm.name, checked.answer, expect)
        except ArmFailed as error:
            block.failures.append(Failure(arm=arm.name, message=error.message, hint=error.hint))
        else:
            ready.append(checked)
    if not ready:
        failure = block.failures[0]
        raise MeasurementFailed(f"{failure.arm} failed: {failure.message}", failure.hint)
    return ready
