"""Which block of an experiment comes next, or why there is none: decided by the finished blocks and the time left.

The first block fixes the warm-up time and the rates of the open loop for the blocks that follow. A void block is
repeated. An arm that fails leaves the experiment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from hopcost.measure.blocks.sizing import Sizing
from hopcost.measure.blocks.warm_up import WarmUpPolicy
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.plan.until import Until
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending, StopReason
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.statistics.precision import stop
from hopcost.statistics.precision.looks import is_look, looks_after
from hopcost.statistics.precision.precision import Forecast
from hopcost.statistics.validity.reasons import shorten_reasons


class NextBlock(msgspec.Struct, frozen=True):
    """A block to run.

    `rates` are the offered loads of the open loop (share → requests per second); None: the block's own closed loop
    decides. `forecast` is what is expected of the run, if the finished blocks can tell.
    """

    number: int
    arms: list[PlannedArm]
    rounds: int
    slice_ns: int
    warm_up: WarmUp
    rates: dict[float, float] | None
    forecast: Forecast | None = None


class FinishedBlocks:
    """The finished blocks of one experiment, and what comes after them."""

    def __init__(self, plan: Plan, experiment: PlannedExperiment) -> None:
        self.plan = plan
        self.experiment = experiment
        self.valid: list[Block] = []
        self.void: list[Block] = []
        self.failed_arms: set[str] = set()
        self.open_loop_rates: dict[float, float] | None = None
        self._sizing = Sizing(plan, experiment)
        self._warm_up = WarmUpPolicy(plan, experiment)
        self._failure: str | None = None

    def next(self, seconds_left: float, so_far: Sequence[Block]) -> NextBlock | Ending:
        """The block to run now, or why the experiment ends; `so_far` are all finished blocks of the run."""
        step = self.next_beside(0, 1, seconds_left, so_far)
        assert step is not None, "there is nothing to wait for"
        return step

    def next_beside(
        self, in_flight: int, sites: int, seconds_left: float, so_far: Sequence[Block]
    ) -> NextBlock | Ending | None:
        """The same while so many blocks are measured on other sites, each of which has `seconds_left`.

        None: they are to be waited for. A look is taken when none is in flight, so that it uses blocks by their number
        and not those that came first; until then no more are measured than the look uses.
        """
        done = len(self.valid)
        if self._failure is not None:
            return None if in_flight else self._ending(StopReason.FAILED, self._failure)
        if in_flight:
            if done + in_flight >= self._next_look(max(done, sites - 1)):
                return None
        elif done < sites and done:
            pass  # each site has a say before anything is looked at
        elif self.plan.until is Until.DECIDED:
            if done in METHOD.decision_looks and not self._undecided(so_far):
                return self._ending(StopReason.DECIDED, f"after {done} blocks every arm asked about is decided")
        elif is_look(done) and self._is_precise_enough(so_far):
            return self._ending(StopReason.PRECISION, self._precision())
        arms = self._arms
        size = self._sizing.next(len(arms), done, seconds_left, self._warm_up.usual_ns, sites)
        if size is None and done + in_flight:
            return None if in_flight else self._out_of_time()
        rounds, slice_ns = (size.rounds, size.slice_ns) if size is not None else self._sizing.least
        return NextBlock(
            number=done + len(self.void) + in_flight,
            arms=arms,
            rounds=rounds,
            slice_ns=slice_ns,
            warm_up=self._warm_up.next(len(arms), seconds_left),
            rates=self.open_loop_rates,
            forecast=None if size is None else size.forecast,
        )

    def add(self, block: Block) -> None:
        """Take a finished block into account."""
        self.failed_arms |= {failure.arm for failure in block.failures}
        if self.failed_arms & {self.experiment.baseline, self.experiment.copy}:
            self._failure = "the baseline failed"
            return
        reference = {self.experiment.baseline, self.experiment.copy}
        if self.failed_arms and {arm.name for arm in self._arms} <= reference:
            self._failure = "no arm is left"
            return
        self._warm_up.add(block)
        self._sizing.note(block)
        if block.validity == Validity.VOID:
            self.void.append(block)
            if len(self.void) > max(METHOD.max_void_blocks, len(self.valid)) and not block.failures:
                self._failure = f"{len(self.void)} void blocks: {shorten_reasons(block.reasons)}"
            return
        self.valid.append(block)
        if self.open_loop_rates is None:
            rates = {load.share: load.rate_per_s for arm in block.arms for load in arm.open_loop}
            self.open_loop_rates = rates or None

    @property
    def _arms(self) -> list[PlannedArm]:
        return [arm for arm in self.experiment.arms if arm.name not in self.failed_arms]

    def _next_look(self, blocks: int) -> float:
        """The first look after so many blocks; there may be none."""
        if self.plan.until is Until.DECIDED:
            return min((look for look in METHOD.decision_looks if look > blocks), default=math.inf)
        return next(looks_after(blocks))

    def _out_of_time(self) -> Ending:
        done = len(self.valid)
        if self.void and done < METHOD.min_blocks:
            reasons = shorten_reasons([reason for block in self.void for reason in block.reasons])
            return self._ending(StopReason.FAILED, f"{done} of {done + len(self.void)} blocks valid: {reasons}")
        return self._ending(StopReason.TIME, f"{done} {'block' if done == 1 else 'blocks'} in the time given")

    def _ending(self, why: StopReason, detail: str) -> Ending:
        return Ending(experiment=self.experiment.name, why=why, detail=detail)

    def _undecided(self, so_far: Sequence[Block]) -> list[str]:
        return stop.undecided_arms(self._arms_of(so_far), self.plan.decide, error=METHOD.decision_error)

    def _is_precise_enough(self, so_far: Sequence[Block]) -> bool:
        arms = self._arms_of(so_far)
        return stop.is_precise_enough(arms, error=METHOD.look_error, precision=self.plan.precision)

    def _arms_of(self, so_far: Sequence[Block]) -> PairedBlocks:
        """Those of this experiment, with what all blocks tell of them."""
        return RecordBlocks(self.plan.experiments, so_far).of(self.experiment)

    def _precision(self) -> str:
        which = "every ratio of arms that did not fail" if self.failed_arms else "every ratio"
        return f"after {len(self.valid)} blocks {which} is within ±{100 * self.plan.precision:.3g} %"
