"""The measuring loop: blocks of an experiment until they are precise enough, or the budget is spent.

A block that a fault of the instrument made void is done again; an arm that fails leaves the experiment with its reason.
"""

from __future__ import annotations

import contextlib
import time

from hopcost import block, summary
from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.network import HOST, Network
from hopcost.plan import (
    BLOCK_OVERHEAD_S_PER_ARM,
    BLOCK_S_AT_MOST,
    Plan,
    PlannedArm,
    PlannedExperiment,
    rounds_for_block,
)
from hopcost.record import Block, Ending, Writer
from hopcost.sandbox import Freezer, Ports
from hopcost.suite import AGAIN
from hopcost.watcher import Watcher

VOID_BLOCKS_AT_MOST = 3
SLICE_EDGES = 1.03  # a slice takes this much longer than its load: freezing, reading counters


def measure(plan: Plan, freezer: Freezer, writer: Writer, watcher: Watcher, network: Network = HOST) -> bool:
    """Run all experiments of the plan into the record; whether nothing that was measured failed."""
    ends = time.monotonic() + plan.budget_s
    all_well = True
    for number, experiment in enumerate(plan.experiments):
        share = (ends - time.monotonic()) / (len(plan.experiments) - number)
        setting = block.Setting(
            plan=plan,
            experiment=experiment,
            freezer=freezer,
            ports=Ports(),
            writer=writer,
            watcher=watcher,
            network=network,
        )
        loop = _Loop(setting, time.monotonic() + share)
        try:
            ending = loop.run()
        except KeyboardInterrupt:
            with contextlib.suppress(MeasurementFailed):
                writer.end_experiment(Ending(experiment=experiment.name, why="interrupted", detail="interrupted"))
            raise
        except HopcostError as error:
            with contextlib.suppress(MeasurementFailed):
                writer.end_experiment(Ending(experiment=experiment.name, why="failed", detail=error.message))
            raise
        writer.end_experiment(ending)
        all_well = all_well and ending.why != "failed" and not loop.failed_arms
    return all_well


class _Loop:
    """The blocks of one experiment, and what they have shown so far."""

    def __init__(self, setting: block.Setting, deadline: float) -> None:
        self.setting = setting
        self.deadline = deadline
        self.failed_arms: set[str] = set()
        self.valid: list[Block] = []
        self.void = 0
        self.overheads_s: list[float] = []

    @property
    def experiment(self) -> PlannedExperiment:
        return self.setting.experiment

    @property
    def arms(self) -> list[PlannedArm]:
        return [arm for arm in self.experiment.arms if arm.name not in self.failed_arms]

    def run(self) -> Ending:
        """Blocks until one of the reasons to stop holds."""
        plan, looks = self.setting.plan, self.setting.plan.looks
        self.setting.watcher.experiment_begins(self.experiment, looks[-1], self.deadline)
        while len(self.valid) < looks[-1]:
            if len(self.valid) in looks and self._precise():
                return self._ending("precision", f"every ratio is within ±{plan.target_width:.0%}")
            rounds = self._rounds()
            if rounds == 0 and self.valid:
                return self._ending("budget", f"{len(self.valid)} blocks in the time given")
            done = block.measure(self.setting, self.arms, len(self.valid) + self.void, max(rounds, 2))
            self.setting.writer.append(done)
            self.setting.watcher.block_ends(done)
            failed = self._note(done)
            if failed is not None:
                return self._ending("failed", failed)
        return self._ending("blocks", f"all {looks[-1]} blocks are done")

    def _note(self, done: Block) -> str | None:
        """Take a block into account; why the experiment cannot go on, or None."""
        self.failed_arms |= {failure.arm for failure in done.failures}
        if self.failed_arms & {self.experiment.baseline, self.experiment.baseline + AGAIN}:
            return "the baseline failed"
        if len(self.arms) < 2:
            return "no arm is left"
        if done.slices_elapsed_ns:
            settling_ns = done.slices_elapsed_ns * self.experiment.settle_ns // self.experiment.slice_ns
            self.overheads_s.append((done.elapsed_ns - done.slices_elapsed_ns - settling_ns) / 1e9)
        if done.validity != "void":
            self.valid.append(done)
        else:
            self.void += 1
            if self.void > VOID_BLOCKS_AT_MOST and not done.failures:
                return f"{self.void} void blocks: {'; '.join(done.reasons)}"
        return None

    def _ending(self, why: str, detail: str) -> Ending:
        return Ending(experiment=self.experiment.name, why=why, detail=detail)

    def _precise(self) -> bool:
        plan = self.setting.plan
        widths = summary.widths(self.experiment, self.valid, len(plan.looks))
        return bool(widths) and all(width is not None and width <= plan.target_width for width in widths)

    def _rounds(self) -> int:
        """Rounds of the next block.

        The first look's blocks share the time left evenly; where that leaves too little for each, fewer blocks do.
        After the first look a block may take what is there.
        """
        seen = self.overheads_s
        overhead = sum(seen) / len(seen) if seen else BLOCK_OVERHEAD_S_PER_ARM * len(self.arms)
        visit_ns = self.experiment.settle_ns + self.experiment.slice_ns
        round_s = visit_ns * len(self.arms) / 1e9 * SLICE_EDGES
        for blocks_left in range(max(1, self.setting.plan.looks[0] - len(self.valid)), 0, -1):
            rounds = rounds_for_block(
                seconds_left=self.deadline - time.monotonic(),
                blocks_left=blocks_left,
                overhead_s=overhead,
                round_s=round_s,
                at_most=max(2, int(BLOCK_S_AT_MOST / round_s)),
            )
            if rounds:
                return rounds
        return 0
