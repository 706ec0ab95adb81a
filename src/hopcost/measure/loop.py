"""The measuring loop: blocks of an experiment until they are precise enough, or the budget is spent.

The first block is the pilot. It fixes, for the blocks that follow, the number of rounds, the warm-up time and the rates
of the open loop. If an arm warmed up slowly, a second start confirms it. hopcost repeats a block that a fault of the
instrument made void. An arm that fails leaves the experiment with its reason.
"""

from __future__ import annotations

import contextlib
import time

import msgspec

from hopcost.errors import HopcostError, MeasurementFailed
from hopcost.generators.engine_protocol import Validity, WarmUp
from hopcost.measure import block
from hopcost.measure.engine_load import BlockContext
from hopcost.measure.protocols import as_published, soak, whole
from hopcost.measure.sizing import Sizing
from hopcost.measure.watcher import Watcher
from hopcost.plan import slices
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.plan.slices import WARM_UP_NS_PER_CONNECTION
from hopcost.plan.turns import Turns
from hopcost.record.block import Block
from hopcost.record.run import Ending, StopReason
from hopcost.record.writer import Writer
from hopcost.stacks.sandbox.cgroups import Freezer
from hopcost.stacks.sandbox.network import HOST, Network
from hopcost.stacks.sandbox.ports import Ports
from hopcost.statistics import stop
from hopcost.statistics.comparisons import BLOCKS_AT_LEAST
from hopcost.statistics.looks import error_per_look
from hopcost.statistics.summary.warm_up import WarmUpLength, warm_up_length
from hopcost.suites.arm import COPY_SUFFIX

VOID_BLOCKS_AT_MOST = 3  # or as many as there are valid ones: then the machine is not fit for it now
LONG_WARM_UP_SHARE = 1 / 20  # of the time left, for all arms together
LONG_WARM_UP_NS_LEAST = 1_000_000_000
STARTS = 2  # in one alone a change may be the machine's


def measure_plan(plan: Plan, freezer: Freezer, writer: Writer, watcher: Watcher, network: Network = HOST) -> bool:
    """Run all experiments of the plan into the record; whether nothing that was measured failed."""
    ends = time.monotonic() + plan.budget_s
    all_well = True
    for number, experiment in enumerate(plan.experiments):
        share = (ends - time.monotonic()) * experiment.weight / sum(each.weight for each in plan.experiments[number:])
        setting = BlockContext(
            plan=plan,
            experiment=experiment,
            freezer=freezer,
            ports=Ports(),
            writer=writer,
            watcher=watcher,
            network=network,
        )
        loop = Loop(setting, time.monotonic() + share)
        try:
            ending = _run(loop)
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
        all_well = all_well and ending.why != StopReason.FAILED and not loop.failed_arms
    return all_well


def _run(loop: Loop) -> Ending:
    """The experiment as its kind is measured."""
    if loop.setting.plan.as_published:
        return as_published.run_as_published(loop.setting, loop.deadline)
    if loop.experiment.turns is Turns.SOAK:
        return soak.run_soak(loop.setting)
    return loop.run()


class Loop:
    """The blocks of one experiment, and what they have shown so far."""

    def __init__(self, setting: BlockContext, deadline: float) -> None:
        self.setting = setting
        self.deadline = deadline
        self.failed_arms: set[str] = set()
        self.valid: list[Block] = []
        self.void: list[Block] = []
        self.sizing = Sizing(setting.plan, setting.experiment)
        self.rates: dict[float, float] | None = None  # of the open loop; the first valid block decides
        self.warmth = WarmUpLength(length_ns=setting.plan.warm_up_least_ns, unsteady=[])
        self.warmed_long: list[Block] = []  # the valid blocks that it is known by

    @property
    def experiment(self) -> PlannedExperiment:
        return self.setting.experiment

    @property
    def arms(self) -> list[PlannedArm]:
        return [arm for arm in self.experiment.arms if arm.name not in self.failed_arms]

    @property
    def done(self) -> int:
        """The number of valid blocks."""
        return len(self.valid)

    def run(self) -> Ending:
        """Blocks until one of the reasons to stop holds."""
        looks = self.setting.plan.looks
        self.setting.watcher.experiment_begins(self.experiment, looks[-1], self.deadline)
        while self.done < looks[-1]:
            if self.done in looks and self._settled():
                return self._ending(StopReason.PRECISION, self._precision())
            size = self.sizing.next(len(self.arms), self.done, self._seconds_left, self.warmth.length_ns)
            if size is None and self.done:
                return self._out_of_time()
            if size is not None and size.forecast is not None:
                self.setting.watcher.forecast(size.forecast)
            rounds, slice_ns = (size.rounds, size.slice_ns) if size is not None else self.sizing.least
            done = self._block(self.arms, len(self.valid) + len(self.void), rounds, slice_ns, self._warms_long())
            self.setting.writer.append(done)
            self.setting.watcher.block_ends(done)
            failed = self._note(done)
            if failed is not None:
                return self._ending(StopReason.FAILED, failed)
        return self._ending(StopReason.BLOCKS, f"all {looks[-1]} blocks are done")

    @property
    def _seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def _block(self, arms: list[PlannedArm], number: int, rounds: int, slice_ns: int, warms_long: bool) -> Block:
        experiment = msgspec.structs.replace(self.experiment, slice_ns=slice_ns)
        setting = msgspec.structs.replace(self.setting, experiment=experiment)
        if experiment.turns is Turns.WHOLE:
            return whole.measure_whole_block(setting, arms, number)
        warm_up_ns = self._long_warm_up_ns(len(arms)) if warms_long else self.warmth.length_ns
        warm_up = WarmUp(least_ns=warm_up_ns, most_ns=warm_up_ns)
        return block.measure_block(setting, arms, number, rounds, rates=self.rates, warm_up=warm_up)

    def _warms_long(self) -> bool:
        """Whether the next block is to show how long warm-ups must be.

        The first does; a second start, where an arm took longer than the least; and all, while one is not steady.
        """
        if not self.valid or self.warmth.unsteady:
            return True
        return len(self.warmed_long) < STARTS and self.warmth.length_ns > self.setting.plan.warm_up_least_ns

    def _long_warm_up_ns(self, arms: int) -> int:
        """As long as pools of so many connections may take to fill, where the time is short less.

        Brief slices have none that could show a change.
        """
        plan = self.setting.plan
        if slices.are_short(self.experiment):
            return plan.warm_up_least_ns
        share_ns = int(self._seconds_left * 1e9 * LONG_WARM_UP_SHARE / arms)
        filling_ns = WARM_UP_NS_PER_CONNECTION * self.experiment.workload.connections
        return min(plan.warm_up_most_ns + filling_ns, max(LONG_WARM_UP_NS_LEAST, share_ns))

    def _note(self, done: Block) -> str | None:
        """Take a block into account; why the experiment cannot go on, or None."""
        self.failed_arms |= {failure.arm for failure in done.failures}
        if self.failed_arms & {self.experiment.baseline, self.experiment.baseline + COPY_SUFFIX}:
            return "the baseline failed"
        if len(self.arms) < 2:
            return "no arm is left"
        if done.validity != Validity.VOID and self._warms_long():
            self.warmed_long.append(done)
            self.warmth = warm_up_length(self.warmed_long, self.setting.plan.warm_up_least_ns)
        self.sizing.note(done)
        if done.validity == Validity.VOID:
            self.void.append(done)
            if len(self.void) > max(VOID_BLOCKS_AT_MOST, len(self.valid)) and not done.failures:
                return f"{len(self.void)} void blocks: {'; '.join(done.reasons)}"
            return None
        self.valid.append(done)
        if self.rates is None:
            self.rates = {load.share: load.rate_per_s for arm in done.arms for load in arm.open_loop} or None
        return None

    def _out_of_time(self) -> Ending:
        if self.void and self.done < BLOCKS_AT_LEAST:
            reasons = "; ".join(dict.fromkeys(reason for each in self.void for reason in each.reasons))
            return self._ending(
                StopReason.FAILED, f"{self.done} valid blocks and {len(self.void)} void ones: {reasons}"
            )
        return self._ending(
            StopReason.BUDGET, f"{self.done} {'block' if self.done == 1 else 'blocks'} in the time given"
        )

    def _ending(self, why: StopReason, detail: str) -> Ending:
        return Ending(experiment=self.experiment.name, why=why, detail=detail)

    def _settled(self) -> bool:
        plan = self.setting.plan
        error = error_per_look(len(plan.looks))
        blocks = [*self.valid, *self.void]
        return stop.is_precise_enough(
            self.experiment, blocks, error=error, margin=plan.margin, target=plan.target_width
        )

    def _precision(self) -> str:
        plan = self.setting.plan
        reached = f"within ±{plan.target_width:.2%} or wholly inside or outside the margin"
        which = "every ratio of arms that did not fail" if self.failed_arms else "every ratio"
        return f"after {self.done} blocks {which} is {reached}"
