"""A soak: one start, then the arm under load for a long time, with short slices of the baseline and its copy between.

Segments of it are the record's blocks: nothing is restarted from one to the next, but connections are opened anew, so
that each has response times of its own. statistics/summary/soak.py computes the drift over them.
"""

from __future__ import annotations

import contextlib
import math

import psutil

from hopcost.measure.blocks import block as blocks
from hopcost.measure.load import engine as engine_load
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.rig import Rig
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Slice, Validity
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.evidence import MemorySample
from hopcost.record.contents.run import Ending, StopReason
from hopcost.stacks.stack import Stack

SEGMENTS_AT_MOST = 24
VOID_SEGMENTS_AT_MOST = 3


def run_soak(context: BlockContext) -> Ending:
    """The whole soak, into the record; why it ended."""
    experiment = context.experiment
    assert experiment.soak_s is not None, "planned as a soak"
    segments, rounds, slice_ns = schedule(experiment)
    begun = context.rig.now_s()
    void, seconds = 0, 0.0
    with contextlib.ExitStack() as stacks:
        with blocks.recording(context, 0) as first:
            ready = blocks.start_and_check(context, experiment.arms, first, stacks)
        if first.validity == Validity.VOID or first.failures:
            context.finish(first)
            return Ending(experiment=experiment.name, why=StopReason.FAILED, detail="an arm did not start")
        for number in range(segments):
            context.watcher.block_begins(experiment, number)
            with blocks.recording(context, number) as segment:
                samples = _Memory(ready, context.rig, begun)
                own = {arm.name: slice_ns for arm in experiment.arms if arm.name == soaked_arm(experiment)}
                engine_load.load_closed(context, segment, ready, rounds, own, samples.take)
                samples.put(segment.arms)
                blocks.note_failures(segment, [arm_ready.stack for arm_ready in ready])
            context.finish(segment)
            seconds = context.rig.now_s() - begun
            void += segment.validity == Validity.VOID
            if segment.failures:
                return Ending(experiment=experiment.name, why=StopReason.FAILED, detail=segment.failures[0].message)
            if void > VOID_SEGMENTS_AT_MOST:
                return Ending(experiment=experiment.name, why=StopReason.FAILED, detail=f"{void} void segments")
    return Ending(
        experiment=experiment.name, why=StopReason.BLOCKS, detail=f"{seconds:.0f} s in {segments} segments of one start"
    )


def soaked_arm(experiment: PlannedExperiment) -> str:
    """The arm that is soaked: the one that is neither the baseline nor its copy."""
    return next(arm.name for arm in experiment.arms if arm.name != experiment.baseline and arm.copy_of is None)


def schedule(experiment: PlannedExperiment) -> tuple[int, int, int]:
    """Segments, rounds of each, and the length of the arm's own slices in ns.

    A round is one slice of each arm; the arm's is so long that about nine tenths of the round are its own.
    """
    assert experiment.soak_s is not None, "planned as a soak"
    others_ns = (experiment.settle_ns + experiment.slice_ns) * (len(experiment.arms) - 1)
    slice_ns = round(others_ns * METHOD.soak_share / (1 - METHOD.soak_share))
    round_ns = others_ns + experiment.settle_ns + slice_ns
    rounds = max(1, round(experiment.soak_s * 1e9 / round_ns))
    rounds_each = math.ceil(rounds / SEGMENTS_AT_MOST)
    return round(rounds / rounds_each), rounds_each, slice_ns


class _Memory:
    """Memory of each arm after each of its slices."""

    def __init__(self, ready: list[CheckedArm], rig: Rig, begun: float) -> None:
        self.stacks = {arm.arm.name: arm.stack for arm in ready}
        self.rig = rig
        self.begun = begun
        self.samples: dict[str, list[MemorySample]] = {name: [] for name in self.stacks}

    def take(self, line: Slice) -> None:
        """Read the arm whose slice has ended."""
        elapsed_ns = round((self.rig.now_s() - self.begun) * 1e9)
        sample = MemorySample(elapsed_ns=elapsed_ns, resident_bytes=resident_bytes(self.stacks[line.arm]))
        self.samples[line.arm].append(sample)

    def put(self, arms: list[ArmBlock]) -> None:
        """Into the arms' parts of a segment."""
        for arm in arms:
            arm.memory_samples = self.samples[arm.name]


def resident_bytes(stack: Stack) -> int:
    """Resident memory of all processes of a stack; a page that two share counts twice."""
    total = 0
    for pids in stack.processes.values():
        for pid in pids:
            with contextlib.suppress(psutil.Error):
                total += psutil.Process(pid).memory_info().rss
    return total
