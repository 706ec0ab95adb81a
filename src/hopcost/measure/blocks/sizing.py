"""How long the next block is: rounds out of what starts and rounds cost, and of how both scatter. Pure.

Which arm is better must not matter here, only how widely the ratios spread.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import msgspec
import numpy as np

from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Scope, Turns
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block
from hopcost.statistics.figures import cpu_per_request, throughput
from hopcost.statistics.log_ratio import log_ratios_by_round
from hopcost.statistics.precision import looks, precision
from hopcost.statistics.precision.precision import Cost, Forecast, Variances
from hopcost.statistics.random_effects import Contrast, estimate

FIGURES = (throughput, cpu_per_request)
UNKNOWN = Variances(within=METHOD.usual_spread**2, between=METHOD.usual_spread**2)


class Size(msgspec.Struct, frozen=True):
    """Rounds and slice of the next block, and a forecast of the run if the spread is known."""

    rounds: int
    slice_ns: int
    forecast: Forecast | None = None


class Sizing:
    """What the blocks of one experiment took so far, and how they spread."""

    def __init__(self, plan: Plan, experiment: PlannedExperiment) -> None:
        self.plan = plan
        self.experiment = experiment
        self.overheads_s: list[float] = []
        self.has_open_loop = False  # whether the blocks of these overheads have one
        self.ratios: list[dict[str, list[list[float]]]] = [{} for _ in FIGURES]  # log-ratios by arm, block, round
        self._estimated: list[list[Variances]] | None = None  # out of them

    def note(self, block: Block) -> None:
        """Take a block into account."""
        self._estimated = None
        if block.open_ends and not self.has_open_loop:  # a void one may have none
            self.overheads_s, self.has_open_loop = [], True
        if block.slices_elapsed_ns:
            settling_ns = block.slices_elapsed_ns * self.experiment.settle_ns // self.experiment.slice_ns
            warmed_ns = 0 if self.experiment.turns is Turns.WHOLE else _warmed_ns(block)
            self.overheads_s.append((block.elapsed_ns - block.slices_elapsed_ns - settling_ns - warmed_ns) / 1e9)
        if block.validity != Validity.VOID:
            for ratios, figure in zip(self.ratios, FIGURES, strict=True):
                for name in self._compared(block):
                    logs = [log for log in log_ratios_by_round(block, self.experiment, name, figure) if log is not None]
                    if logs:
                        ratios.setdefault(name, []).append(logs)
        for failure in block.failures:
            for ratios in self.ratios:
                ratios.pop(failure.arm, None)

    @property
    def least(self) -> tuple[int, int]:
        """Rounds and slice in ns if the time is too short for a block: without one block there is no answer."""
        if self.experiment.turns is Turns.WHOLE:
            return 1, self._slice_ns_least
        return METHOD.min_rounds, self.experiment.slice_ns

    @property
    def _slice_ns_least(self) -> int:
        return self.experiment.slice_ns_least or self.experiment.slice_ns

    def next(self, arms: int, done: int, seconds_left: float, warm_up_ns: int, sites: int = 1) -> Size | None:
        """The next block over so many arms; None when the time is over.

        `done` valid blocks are there; each arm will be warmed up for `warm_up_ns`. There are fewer than four starts
        only if the time does not hold four of two rounds each. So many `sites` measure at a time, each of them for
        `seconds_left`.
        """
        overhead_s = self._overhead_s(arms, warm_up_ns)
        if self.experiment.turns is Turns.WHOLE:
            return self._whole(arms, _turns(METHOD.first_looks[0] - done, sites), overhead_s, seconds_left)
        round_s = (self.experiment.settle_ns + self.experiment.slice_ns) * arms / 1e9 * METHOD.slice_edges
        cost = Cost(start_s=overhead_s, round_s=round_s)
        seen = self._seen()
        wanted = min(
            precision.rounds_per_start(cost, _typical(seen)), max(METHOD.min_rounds, int(METHOD.max_block_s / round_s))
        )
        if self.experiment.scope is Scope.PROCESSES:  # what a batch repeats is cheap: more rounds cost no start
            wanted = max(wanted, METHOD.batch_rounds)
        for blocks_left in range(_turns(METHOD.min_starts - done, sites), 0, -1):  # fewer blocks if the time is short
            fitting = int((seconds_left / blocks_left - overhead_s) / round_s + 1e-9)
            if fitting >= METHOD.min_rounds:
                rounds = min(wanted, fitting)
                return Size(
                    rounds, self.experiment.slice_ns, self._forecast(seen, cost, rounds, done, sites * seconds_left)
                )
        return None

    def _compared(self, block: Block) -> list[str]:
        reference = (self.experiment.baseline, self.experiment.copy)
        return [arm.name for arm in block.arms if arm.name not in reference]

    def _overhead_s(self, arms: int, warm_up_ns: int) -> float:
        """What a block takes besides its visits. Whole slices have no warm-up of their own, so the mean holds it."""
        warm_up_s = 0.0 if self.experiment.turns is Turns.WHOLE and self.overheads_s else arms * warm_up_ns / 1e9
        if self.overheads_s:
            return statistics.mean(self.overheads_s) + warm_up_s
        loads, settle_ns = self.experiment.loads, self.experiment.settle_ns
        loads_s = open_loop.phase_s(arms=arms, loads=loads, settle_ns=settle_ns, quick=self.plan.quick)
        return arms * METHOD.block_overhead_s_per_arm + warm_up_s + loads_s

    def _whole(self, arms: int, blocks_wanted: int, overhead_s: float, seconds_left: float) -> Size | None:
        """Whole slices share the time evenly; there are fewer blocks if the slices would be too short."""
        for blocks_left in range(blocks_wanted, 0, -1):
            slice_ns = int((seconds_left / blocks_left - overhead_s) / (arms * METHOD.slice_edges) * 1e9)
            if slice_ns >= self._slice_ns_least:
                return Size(1, min(slice_ns, self.experiment.slice_ns))
        return None

    def _seen(self) -> list[list[Variances]]:
        """The variances of each arm's ratio, by figure; none of a figure without a block. Sites ask again."""
        if self._estimated is None:
            self._estimated = [
                [arm.variances for arm in estimate([_contrast(blocks) for blocks in ratios.values()])]
                for ratios in self.ratios
            ]
        return self._estimated

    def _forecast(
        self, seen: list[list[Variances]], cost: Cost, rounds: int, done: int, seconds_left: float
    ) -> Forecast | None:
        """When the run will end, by the ratio that spreads most; None before the first block."""
        widest = max((arm for arms in seen for arm in arms), key=lambda arm: arm.of_block(rounds), default=None)
        if widest is None:
            return None
        return precision.forecast(
            widest,
            cost,
            rounds=rounds,
            done=done,
            target=self.plan.precision,
            looks=looks.looks_after(done),
            look_error=looks.error_of_one_arm(self.experiment, METHOD.look_error),
            end_error=looks.error_of_one_arm(self.experiment, METHOD.confidence_error),
            seconds=seconds_left,
            contrasts=sum(len(planned.arms) - 2 for planned in self.plan.experiments),
        )


def _turns(blocks: int, sites: int) -> int:
    """How many blocks each site measures at the least, so that there are so many in all.

    >>> [_turns(4, sites) for sites in (1, 3, 5)], _turns(-2, 1)
    ([4, 2, 1], 1)
    """
    return max(1, math.ceil(blocks / sites))


def _contrast(blocks: Sequence[Sequence[float]]) -> Contrast:
    """The log-ratios of one arm by block and round, as the model reads them."""
    degrees = sum(len(rounds) - 1 for rounds in blocks)
    squares = sum(float(np.var(rounds)) * len(rounds) for rounds in blocks)
    return Contrast(
        logs=[statistics.mean(rounds) for rounds in blocks],
        rounds=[len(rounds) for rounds in blocks],
        variance=squares / degrees if degrees else None,
        degrees=degrees,
    )


def _typical(seen: list[list[Variances]]) -> Variances:
    """Those of the arm in the middle, in throughput: what the whole block is made for."""
    arms = seen[0]
    if not arms:
        return UNKNOWN
    return Variances(
        within=statistics.median(arm.within for arm in arms), between=statistics.median(arm.between for arm in arms)
    )


def _warmed_ns(block: Block) -> int:
    """How long all arms together were warmed up."""
    return sum(arm.warm_up.elapsed_ns for arm in block.arms if arm.warm_up is not None)


def block_seed(plan: Plan, experiment: str, block: int) -> int:
    """The seed of a block's order, from the run's: the same run again takes the same order."""
    return random.Random(f"{plan.seed}/{experiment}/{block}").getrandbits(63)
