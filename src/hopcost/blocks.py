"""The measuring loop: blocks of an experiment until they are precise enough, or the budget is spent.

A block that a fault of the instrument made void is done again; an arm that fails leaves the experiment with its reason.
"""

from __future__ import annotations

import contextlib
import time

import msgspec

from hopcost import as_published, block, soak, summary, whole
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
from hopcost.turns import Turns
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
            ending = _run(loop)
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


def _run(loop: _Loop) -> Ending:
    """The experiment as its kind is measured."""
    if loop.setting.plan.as_published:
        return as_published.run(loop.setting, loop.deadline)
    if loop.experiment.turns is Turns.SOAK:
        return soak.run(loop.setting)
    return loop.run()


class _Loop:
    """The blocks of one experiment, and what they have shown so far."""

    def __init__(self, setting: block.Setting, deadline: float) -> None:
        self.setting = setting
        self.deadline = deadline
        self.failed_arms: set[str] = set()
        self.valid: list[Block] = []
        self.counts = [0 for _ in setting.experiment.groups]  # valid blocks of each group
        self.void = 0
        self.overheads_s: list[float] = []

    @property
    def experiment(self) -> PlannedExperiment:
        return self.setting.experiment

    @property
    def arms(self) -> list[PlannedArm]:
        return [arm for arm in self.experiment.arms if arm.name not in self.failed_arms]

    @property
    def live(self) -> list[int]:
        """The groups in which there is still something to compare."""
        pair = {self.experiment.baseline, self.experiment.baseline + AGAIN}
        groups = self.experiment.groups
        return [
            number
            for number, names in enumerate(groups)
            if len(groups) == 1 or any(name not in self.failed_arms for name in names if name not in pair)
        ]

    @property
    def done(self) -> int:
        """Valid blocks that every group has."""
        return min((self.counts[group] for group in self.live), default=0)

    def run(self) -> Ending:
        """Blocks until one of the reasons to stop holds."""
        plan, looks = self.setting.plan, self.setting.plan.looks
        self.setting.watcher.experiment_begins(self.experiment, looks[-1] * len(self.counts), self.deadline)
        while self.done < looks[-1]:
            group = min(self.live, key=lambda number: self.counts[number])
            is_even = all(self.counts[other] == self.done for other in self.live)
            if is_even and self.done in looks and self._precise():
                return self._ending("precision", f"every ratio is within ±{plan.target_width:.0%}")
            arms = [arm for arm in self.arms if arm.name in self.experiment.groups[group]]
            work = self._work(arms)
            if work is None and self.done:
                return self._ending("budget", f"{self.done} block{'' if self.done == 1 else 's'} in the time given")
            number = len(self.valid) + self.void
            done = self._block(arms, number, *(work or self._least(arms)))
            self.setting.writer.append(done)
            self.setting.watcher.block_ends(done)
            failed = self._note(done, group)
            if failed is not None:
                return self._ending("failed", failed)
        return self._ending("blocks", f"all {looks[-1]} blocks are done")

    def _block(self, arms: list[PlannedArm], number: int, rounds: int, slice_ns: int) -> Block:
        experiment = msgspec.structs.replace(self.experiment, slice_ns=slice_ns)
        setting = msgspec.structs.replace(self.setting, experiment=experiment)
        if experiment.turns is Turns.WHOLE:
            return whole.measure(setting, arms, number)
        return block.measure(setting, arms, number, rounds)

    def _note(self, done: Block, group: int) -> str | None:
        """Take a block into account; why the experiment cannot go on, or None."""
        self.failed_arms |= {failure.arm for failure in done.failures}
        if self.failed_arms & {self.experiment.baseline, self.experiment.baseline + AGAIN}:
            return "the baseline failed"
        if len(self.arms) < 2 or not self.live:
            return "no arm is left"
        if done.slices_elapsed_ns:
            settling_ns = done.slices_elapsed_ns * self.experiment.settle_ns // self.experiment.slice_ns
            self.overheads_s.append((done.elapsed_ns - done.slices_elapsed_ns - settling_ns) / 1e9)
        if done.validity != "void":
            self.valid.append(done)
            self.counts[group] += 1
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

    def _least(self, arms: list[PlannedArm]) -> tuple[int, int]:
        """Rounds and length of a slice where the time is too short for a block: one must be, to say anything."""
        assert arms, "a live group has arms"
        return (1 if self.experiment.turns is Turns.WHOLE else 2), self._slice_ns_least

    @property
    def _slice_ns_least(self) -> int:
        return self.experiment.slice_ns_least or self.experiment.slice_ns

    def _work(self, arms: list[PlannedArm]) -> tuple[int, int] | None:
        """Rounds and length of a slice, in ns, of the next block over these arms; None when the time is over.

        The first look's blocks share the time left evenly; where that leaves too little for each, fewer blocks do.
        After the first look a block may take what is there.
        """
        seen, first_look = self.overheads_s, self.setting.plan.looks[0]
        overhead_s = sum(seen) / len(seen) if seen else BLOCK_OVERHEAD_S_PER_ARM * len(arms)
        seconds_left = self.deadline - time.monotonic()
        wanted = sum(max(0, first_look - self.counts[group]) for group in self.live)
        for blocks_left in range(max(1, wanted), 0, -1):
            if self.experiment.turns is Turns.WHOLE:
                slice_ns = int((seconds_left / blocks_left - overhead_s) / (len(arms) * SLICE_EDGES) * 1e9)
                if slice_ns >= self._slice_ns_least:
                    return 1, min(slice_ns, self.experiment.slice_ns)
                continue
            visit_ns = self.experiment.settle_ns + self.experiment.slice_ns
            round_s = visit_ns * len(arms) / 1e9 * SLICE_EDGES
            rounds = rounds_for_block(
                seconds_left=seconds_left,
                blocks_left=blocks_left,
                overhead_s=overhead_s,
                round_s=round_s,
                at_most=max(2, int(BLOCK_S_AT_MOST / round_s)),
            )
            if rounds:
                return rounds, self.experiment.slice_ns
        return None
