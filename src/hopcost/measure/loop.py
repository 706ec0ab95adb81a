"""The measuring loop: runs one block after another, as next_block.py says, and puts them into the record."""

from __future__ import annotations

import contextlib

import msgspec

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.measure import block
from hopcost.measure.engine_load import BlockContext
from hopcost.measure.next_block import FinishedBlocks, NextBlock
from hopcost.measure.protocols import as_published, soak, whole
from hopcost.measure.rig import Rig
from hopcost.measure.watcher import Watcher
from hopcost.plan.plan import Plan
from hopcost.plan.turns import Turns
from hopcost.record.block import Block
from hopcost.record.run import Ending, StopReason
from hopcost.record.writer import Writer


def measure_plan(plan: Plan, rig: Rig, writer: Writer, watcher: Watcher) -> bool:
    """Run all experiments of the plan into the record; whether nothing that was measured failed."""
    ends = rig.now_s() + plan.time_s
    all_well = True
    for number, experiment in enumerate(plan.experiments):
        share = (ends - rig.now_s()) * experiment.weight / sum(other.weight for other in plan.experiments[number:])
        context = BlockContext(plan=plan, experiment=experiment, rig=rig, writer=writer, watcher=watcher)
        finished = FinishedBlocks(plan, experiment)
        try:
            ending = _run_experiment(context, finished, rig.now_s() + share)
        except KeyboardInterrupt:
            with contextlib.suppress(MeasurementFailed):
                writer.end_experiment(
                    Ending(experiment=experiment.name, why=StopReason.INTERRUPTED, detail="interrupted")
                )
            raise
        except HopcostError as error:
            with contextlib.suppress(MeasurementFailed):
                writer.end_experiment(Ending(experiment=experiment.name, why=StopReason.FAILED, detail=error.message))
            raise
        writer.end_experiment(ending)
        all_well = all_well and ending.why != StopReason.FAILED and not finished.failed_arms
    return all_well


def _run_experiment(context: BlockContext, finished: FinishedBlocks, deadline_s: float) -> Ending:
    """The experiment as its kind is measured; why it ended."""
    if context.plan.as_published:
        return as_published.run_as_published(context, deadline_s)
    if context.experiment.turns is Turns.SOAK:
        return soak.run_soak(context)
    return _run_blocks(context, finished, deadline_s)


def _run_blocks(context: BlockContext, finished: FinishedBlocks, deadline_s: float) -> Ending:
    """Blocks until one of the reasons to stop holds."""
    context.watcher.experiment_begins(context.experiment, finished.blocks_at_most, deadline_s)
    while isinstance(step := finished.next(deadline_s - context.rig.now_s()), NextBlock):
        if step.forecast is not None:
            context.watcher.forecast(step.forecast)
        block = _run_block(context, step)
        context.writer.append(block)
        context.watcher.block_ends(block)
        finished.add(block)
    return step


def _run_block(context: BlockContext, step: NextBlock) -> Block:
    experiment = msgspec.structs.replace(context.experiment, slice_ns=step.slice_ns)
    context = msgspec.structs.replace(context, experiment=experiment)
    if experiment.turns is Turns.WHOLE:
        return whole.measure_whole_block(context, step.arms, step.number)
    return block.measure_block(context, step.arms, step.number, step.rounds, rates=step.rates, warm_up=step.warm_up)
