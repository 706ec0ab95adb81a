"""A block of whole slices: one arm alive at a time, in a shuffled order; by our engine, or by another generator.

For what depends on wall time or uses connections up, and if open files hold one arm only. Each slice has a new stack.
"""

from __future__ import annotations

import contextlib
import random

import msgspec

from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.measure.blocks.block import compare_with_baseline, note_failures, recording, start
from hopcost.measure.load import peer as peer_load
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.engine import load_closed
from hopcost.measure.load.restarting import load_restarting
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedArm, PlannedExperiment
from hopcost.programs.generators.engine_lines import End, Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block, Failure
from hopcost.stacks.client.connection import HttpAnswer


def measure_whole_block(context: BlockContext, arms: list[PlannedArm], number: int) -> Block:
    """Run a block over these arms; never raises for what a program, an arm or a generator does wrong."""
    experiment = context.experiment
    context.watcher.block_begins(experiment, number)
    answers: dict[str, list[HttpAnswer]] = {}
    with recording(context, number, judged=False) as block:  # each arm's slice is
        order = list(arms)
        random.Random(block.seed).shuffle(order)
        for arm in order:
            _add(block, _slice(context, arm, number, answers), arm.name)
        expected = answers.get(experiment.baseline)
        if expected is None:
            raise MeasurementFailed(f"the baseline {experiment.baseline} failed")
        for arm in order:
            if arm.name in answers:
                _compare(block, experiment, expected, arm.name, answers[arm.name])
    return block


def _slice(context: BlockContext, arm: PlannedArm, number: int, answers: dict[str, list[HttpAnswer]]) -> Block:
    """One arm started, loaded for one slice and stopped, as a block of its own."""
    with recording(context, number) as part, contextlib.ExitStack() as stacks:
        try:
            ready = start(context, arm, number, stacks)
            answers[arm.name] = ready.answers
            _load(context, part, ready)
            note_failures(part, [ready.stack])
        except ArmFailed as error:
            part.failures.append(Failure(arm=arm.name, message=error.message, hint=error.hint))
    return part


def _load(context: BlockContext, part: Block, ready: CheckedArm) -> None:
    if context.experiment.restart is not None:
        load_restarting(context, part, ready, context.experiment.restart)
    elif context.plan.peer is None:
        plan = context.plan
        warm_up = WarmUp(plan.warm_up_least_ns, plan.warm_up_most_ns, METHOD.warm_up_requests)
        load_closed(context, part, [ready], rounds=1, warm_up=warm_up)
    else:
        peer_load.load(context, part, ready, context.plan.peer)


def _add(block: Block, part: Block, arm: str) -> None:
    """Put what one arm's slice came to into the block."""
    block.validity = Validity.worst((block.validity, part.validity))
    block.reasons += [msgspec.structs.replace(reason, arm=arm) for reason in part.reasons]
    block.failures += part.failures
    block.arms += part.arms
    block.engine = block.engine or part.engine
    block.slices_elapsed_ns += part.slices_elapsed_ns
    block.harness_cpu_ns = _sum(block.harness_cpu_ns, part.harness_cpu_ns)
    block.foreign_cpu_ns = _sum(block.foreign_cpu_ns, part.foreign_cpu_ns)
    if part.end is not None:
        before = block.end or End(elapsed_ns=0, generator_cpu_ns=0, validity=Validity.VALID, reasons=[])
        block.end = End(
            elapsed_ns=before.elapsed_ns + part.end.elapsed_ns,
            generator_cpu_ns=before.generator_cpu_ns + part.end.generator_cpu_ns,
            validity=Validity.worst((before.validity, part.end.validity)),
            reasons=[*before.reasons, *(f"{arm}: {reason}" for reason in part.end.reasons)],
        )


def _sum(*values: int | None) -> int | None:
    """The sum of the known values; None if none is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _compare(
    block: Block, experiment: PlannedExperiment, expected: list[HttpAnswer], arm: str, answers: list[HttpAnswer]
) -> None:
    """An arm that answers otherwise than the baseline fails, and what was measured of it does not count."""
    try:
        compare_with_baseline(experiment, expected, arm, answers)
    except ArmFailed as error:
        block.failures.append(Failure(arm=arm, message=error.message, hint=error.hint))
        block.arms = [part for part in block.arms if part.name != arm]
