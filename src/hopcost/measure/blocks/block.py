"""One block: fresh start of every arm, check, warm-up, slices by the engine, stop. Its faults are in its record."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.machine import conditions
from hopcost.measure.blocks.sizing import block_seed
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.engine import cores_in_use, load_closed, load_open
from hopcost.plan import open_loop
from hopcost.plan.open_loop import Offered
from hopcost.plan.plan import PlannedArm, PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.kept_files import KeptCommand
from hopcost.record.writer import now_utc
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import Stack
from hopcost.statistics.figures import throughput
from hopcost.statistics.validity.block import judge_block
from hopcost.suites.experiments.mix import requests_of


def measure_block(
    context: BlockContext,
    arms: list[PlannedArm],
    number: int,
    rounds: int,
    *,
    rates: dict[float, float] | None = None,
    warm_up: WarmUp | None = None,
) -> Block:
    """Run a block over these arms; never raises for what a program, an arm or the engine does wrong.

    `rates` are the offered loads of the open loop (share → requests per second), None: out of this block's closed loop.
    """
    context.watcher.block_begins(context.experiment, number)
    is_open_too = context.experiment.loads > 0
    with recording(context, number) as block, contextlib.ExitStack() as stacks:
        if is_open_too:
            block.longest_stall_ns = context.rig.longest_stall_ns(context.experiment.cores.generator)
        ready = start_and_check(context, arms, block, stacks)
        load_closed(context, block, ready, rounds, warm_up=warm_up)
        if block.longest_stall_ns is not None and (standing := _standing(context, block, ready)):
            load_open(context, block, standing, _offered(context, block, standing, rates))
        note_failures(block, [arm.stack for arm in ready])
    return block


def _standing(context: BlockContext, block: Block, ready: list[CheckedArm]) -> list[CheckedArm]:
    """The arms of the open loop: they still run; none if nothing is left to compare."""
    standing = [arm for arm in ready if arm.stack.failure() is None]
    reference = {context.experiment.baseline, context.experiment.copy}
    compared = reference & {arm.arm.name for arm in ready} <= {arm.arm.name for arm in standing}
    is_void = block.end is not None and block.end.validity == Validity.VOID
    return standing if compared and len(standing) > 1 and not is_void else []


def _offered(
    context: BlockContext, block: Block, standing: list[CheckedArm], rates: dict[float, float] | None
) -> Offered:
    """The loads to offer and the length of their slices."""
    assert block.longest_stall_ns is not None, "looked at before load"
    if rates is None:
        names = {arm.arm.name for arm in standing}
        parts = [part for part in block.arms if part.name in names]
        experiment = context.experiment
        rates = open_loop.offered_rates(map(throughput, parts), experiment.open_loop_shares, experiment.open_loop_rates)
    return Offered(rates=rates, slice_ns=open_loop.slice_ns(block.longest_stall_ns, quick=context.plan.quick))


@contextlib.contextmanager
def recording(context: BlockContext, number: int, *, judged: bool = True) -> Iterator[Block]:
    """An empty block to fill in; a fault of the measurement makes it void, with the reason.

    At the end it is judged if it was loaded, unless its parts are judged by themselves.
    """
    experiment = context.experiment
    block = Block(
        experiment=experiment.name,
        number=number,
        seed=block_seed(context.plan, experiment.name, number),
        started_utc=now_utc(),
        elapsed_ns=0,
        slices_elapsed_ns=0,
        harness_cpu_ns=None,
        foreign_cpu_ns=None,
        steal_ns=None,
        validity=Validity.VALID,
        reasons=[],
        failures=[],
    )
    cores = cores_in_use(experiment)
    before = context.rig.conditions(cores)
    try:
        yield block
    except MeasurementFailed as error:
        block.validity = Validity.VOID
        words = error.message + (f"; hint: {error.hint}" if error.hint else "")
        block.reasons.append(Reason(ReasonKind.BROKE_OFF, text=words))
    change = conditions.change(before, context.rig.conditions(cores))
    block.elapsed_ns, block.steal_ns = change.elapsed_ns, change.steal_ns
    block.throttled_ns, block.swapped_pages = change.throttled_ns, change.swapped_pages
    block.clock_step_ns = change.clock_step_ns
    if judged and block.end is not None and block.validity != Validity.VOID:
        judgement = judge_block(block, experiment, on_busy_machine=context.plan.on_busy_machine)
        block.validity, block.reasons, block.void_loads = judgement


def start(context: BlockContext, arm: PlannedArm, number: int, stacks: contextlib.ExitStack) -> CheckedArm:
    """An arm started anew, kept in the record, and asked once; ArmFailed when it does not answer."""
    experiment = context.experiment
    context.watcher.arm_runs(arm.name, "start")
    stack = stacks.enter_context(context.rig.start(arm, experiment, f"{experiment.name}-{number}-{arm.name}"))
    commands = [KeptCommand(hop.name, experiment.cores.stack, hop.command) for hop in stack.prepared.hops]
    files = {f"{hop.name}.{name}": text for hop in stack.prepared.hops for name, text in hop.shown_files.items()}
    context.writer.put_stack(experiment.name, arm.name, commands, files)
    answers: list[HttpAnswer] = []
    for request in requests_of(experiment.workload):
        answers.append(context.rig.ask(stack, request.workload))
        check.check_answer(arm.name, answers[-1], request.workload.expect)
    return CheckedArm(arm=arm, stack=stack, answers=answers)


def compare_with_baseline(
    experiment: PlannedExperiment, expected: list[HttpAnswer], arm: str, answers: list[HttpAnswer]
) -> None:
    """ArmFailed unless the arm answers every request as the baseline does, as far as that is compared."""
    for request, baselines, answer in zip(requests_of(experiment.workload), expected, answers, strict=True):
        try:
            check.compare_answers(experiment.baseline, baselines, arm, answer, request.workload.expect)
        except ArmFailed as error:
            if experiment.workload.mix is None:
                raise
            raise ArmFailed(arm, f"{request.name}: {error.message}", error.hint) from error


def start_and_check(
    context: BlockContext, arms: list[PlannedArm], block: Block, stacks: contextlib.ExitStack
) -> list[CheckedArm]:
    """Every arm started anew and compared with the baseline; those that fail are noted in the block.

    The baseline comes first, the others keep the plan's order: it decides nothing, since none is loaded before all are
    checked.
    """
    experiment = context.experiment
    ready: list[CheckedArm] = []
    for arm in sorted(arms, key=lambda arm: arm.name != experiment.baseline):
        try:
            checked = start(context, arm, block.number, stacks)
            if ready:
                compare_with_baseline(experiment, ready[0].answers, arm.name, checked.answers)
        except ArmFailed as error:
            block.failures.append(Failure(arm=arm.name, message=error.message, hint=error.hint))
            if arm.name == experiment.baseline:
                raise MeasurementFailed(f"the baseline {arm.name} failed: {error.message}", error.hint) from error
        else:
            ready.append(checked)
    if len(ready) < 2:
        raise MeasurementFailed("no stack is left to compare the baseline with: the others failed")
    return ready


def note_failures(block: Block, stacks: list[Stack]) -> None:
    """Programs that ended, and settings without a receipt, are failures of their arms."""
    denied = {arm.name: [receipt.words() for receipt in arm.receipts if receipt.holds is False] for arm in block.arms}
    for stack in stacks:
        failure = stack.failure() or "; ".join(denied.get(stack.arm, []))
        if failure:
            block.failures.append(Failure(arm=stack.arm, message=f"under load: {failure}"))
