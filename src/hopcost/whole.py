"""A block of whole slices: one arm alive at a time, in a shuffled order; by our engine, or by another generator.

For what lives in wall time or uses connections up, and where the open files hold no more. A fresh stack for each slice.
"""

from __future__ import annotations

import contextlib
import random

from hopcost import block as blocks
from hopcost import check, driven
from hopcost.block import Ready, Setting
from hopcost.engine import End
from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.plan import PlannedArm
from hopcost.record import Block, Failure

WORST = ("valid", "suspect", "void")


def measure(setting: Setting, arms: list[PlannedArm], number: int) -> Block:
    """Run a block over these arms; never raises for what a program, an arm or a generator does wrong."""
    setting.watcher.block_begins(number)
    experiment = setting.experiment
    answers: dict[str, check.Answer] = {}
    with blocks.recording(setting, number, judged=False) as block:  # each arm's slice is
        order = list(arms)
        random.Random(block.seed).shuffle(order)
        for arm in order:
            _add(block, _slice(setting, arm, number, answers), arm.name)
        expected = answers.get(experiment.baseline)
        if expected is None:
            raise MeasurementFailed(f"the baseline {experiment.baseline} failed")
        for arm in order:
            if arm.name in answers:
                _compare(block, experiment.baseline, expected, arm.name, answers[arm.name])
    return block


def _slice(setting: Setting, arm: PlannedArm, number: int, answers: dict[str, check.Answer]) -> Block:
    """One arm started, loaded for one slice and stopped, as a block of its own."""
    with blocks.recording(setting, number) as one, contextlib.ExitStack() as stacks:
        try:
            ready = blocks.start(setting, arm, number, stacks)
            answers[arm.name] = ready.answer
            _load(setting, one, ready)
            blocks.note_failures(one, [ready.stack])
        except ArmFailed as error:
            one.failures.append(Failure(arm=arm.name, message=error.message, hint=error.hint))
    return one


def _load(setting: Setting, one: Block, ready: Ready) -> None:
    if setting.plan.peer is None:
        blocks.load(setting, one, [ready], rounds=1)
    else:
        driven.load(setting, one, ready, setting.plan.peer)


def _add(block: Block, one: Block, arm: str) -> None:
    """Put what one arm's slice came to into the block."""
    block.validity = max(block.validity, one.validity, key=WORST.index)
    block.reasons += [f"{arm}: {reason}" for reason in one.reasons]
    block.failures += one.failures
    block.arms += one.arms
    block.engine = block.engine or one.engine
    block.slices_elapsed_ns += one.slices_elapsed_ns
    block.harness_cpu_ns += one.harness_cpu_ns
    block.foreign_cpu_ns += one.foreign_cpu_ns
    if one.end is not None:
        before = block.end or End(elapsed_ns=0, generator_cpu_ns=0, validity="valid", reasons=[])
        block.end = End(
            elapsed_ns=before.elapsed_ns + one.end.elapsed_ns,
            generator_cpu_ns=before.generator_cpu_ns + one.end.generator_cpu_ns,
            validity=max(before.validity, one.end.validity, key=WORST.index),
            reasons=[*before.reasons, *(f"{arm}: {reason}" for reason in one.end.reasons)],
        )


def _compare(block: Block, baseline: str, expected: check.Answer, arm: str, answer: check.Answer) -> None:
    """An arm that answers otherwise than the baseline fails, and what was measured of it does not count."""
    try:
        check.compare(baseline, expected, arm, answer)
    except ArmFailed as error:
        block.failures.append(Failure(arm=arm, message=error.message, hint=error.hint))
        block.arms = [each for each in block.arms if each.name != arm]
