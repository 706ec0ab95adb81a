"""The measuring loop: block 1 of each experiment, then block 2 of each, and so on, into the record.

So the starts of all experiments are spread over the run's whole time, and an interrupted run is balanced. A soak, and
an article's own protocol, run in one piece.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

import msgspec

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.measure.blocks import block
from hopcost.measure.blocks.next_block import FinishedBlocks, NextBlock
from hopcost.measure.load.context import BlockContext
from hopcost.measure.protocols import as_published, soak, whole
from hopcost.measure.rig import Rig
from hopcost.measure.watcher import Watcher
from hopcost.plan.plan import Plan
from hopcost.plan.turns import Turns
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending, StopReason
from hopcost.record.writer import Writer


class Course:
    """One experiment under way: its finished blocks, and the time that it used."""

    def __init__(self, context: BlockContext) -> None:
        self.context = context
        self.finished = FinishedBlocks(context.plan, context.experiment)
        self.used_s = 0.0

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.context.experiment.name

    def step(self, seconds_left: float) -> Ending | None:
        """Measure its next block, and return None; or return why it ends."""
        began_s = self.context.rig.now_s()
        if not self.used_s:
            self.context.watcher.experiment_begins(self.context.experiment)
        try:
            if self.context.plan.as_published:
                return as_published.run_as_published(self.context, began_s + seconds_left)
            if self.context.experiment.turns is Turns.SOAK:
                return soak.run_soak(self.context)
            return self._measure_next(seconds_left)
        finally:
            self.used_s += self.context.rig.now_s() - began_s

    def _measure_next(self, seconds_left: float) -> Ending | None:
        step = self.finished.next(seconds_left, self.context.so_far)
        if isinstance(step, Ending):
            return step
        if step.forecast is not None:
            self.context.watcher.forecast(self.context.experiment, step.forecast)
        block = run_block(self.context, step)
        self.context.finish(block)
        self.finished.add(block)
        return None


def measure_plan(plan: Plan, rig: Rig, writer: Writer, watcher: Watcher) -> bool:
    """Run all experiments of the plan into the record; whether nothing that was measured failed."""
    ends_s = rig.now_s() + plan.time_s
    so_far: list[Block] = []
    running = [Course(BlockContext(plan, experiment, rig, writer, watcher, so_far)) for experiment in plan.experiments]
    all_well = True
    while running:
        for course in list(running):
            try:
                ending = course.step(seconds_of(course, running, ends_s - rig.now_s()))
            except KeyboardInterrupt:
                _end(writer, running, StopReason.INTERRUPTED, "interrupted")
                raise
            except HopcostError as error:
                others = [other for other in running if other is not course]
                _end(writer, [course], StopReason.FAILED, error.message)
                _end(writer, others, StopReason.INTERRUPTED, f"the run broke off in {course.name}")
                raise
            if ending is not None:
                running.remove(course)
                writer.end_experiment(ending)
                watcher.experiment_ends(ending)
                all_well = all_well and ending.why != StopReason.FAILED and not course.finished.failed_arms
    return all_well


def seconds_of(course: Course, running: Sequence[Course], seconds_left: float) -> float:
    """The time that an experiment has left, so that those still running use time by their weights in the end.

    What an experiment leaves when it ends, the others share.
    """
    used_s = sum(other.used_s for other in running)
    weights = sum(other.context.experiment.weight for other in running)
    return (seconds_left + used_s) * course.context.experiment.weight / weights - course.used_s


def _end(writer: Writer, courses: Iterable[Course], why: StopReason, detail: str) -> None:
    """Note why these experiments end; the error that ended them counts, not one of the disk."""
    for course in courses:
        with contextlib.suppress(MeasurementFailed):
            writer.end_experiment(Ending(experiment=course.name, why=why, detail=detail))


def run_block(context: BlockContext, step: NextBlock) -> Block:
    """Measure it; never raises for what a program, an arm or the engine does wrong."""
    experiment = msgspec.structs.replace(context.experiment, slice_ns=step.slice_ns)
    context = msgspec.structs.replace(context, experiment=experiment)
    if experiment.turns is Turns.WHOLE:
        return whole.measure_whole_block(context, step.arms, step.number)
    return block.measure_block(context, step.arms, step.number, step.rounds, rates=step.rates, warm_up=step.warm_up)
