"""How long the next block is: rounds out of what the blocks so far have shown, and of the time that is left. Pure.

Which arm is better must not matter here, only how widely the ratios spread.
"""

from __future__ import annotations

import random

import msgspec

from hopcost.generators.engine_protocol import Validity
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.record.block import Block
from hopcost.statistics import looks, precision
from hopcost.statistics.figures import throughput
from hopcost.statistics.log_ratio import log_ratios_by_round
from hopcost.statistics.precision import Forecast, Variances


class Size(msgspec.Struct, frozen=True):
    """Rounds and slice of the next block, and a forecast of the blocks to come if the spread is known."""

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
        self.ratios: dict[str, list[list[float]]] = {}  # log-ratios by arm, block, round

    def note(self, block: Block) -> None:
        """Take a block into account."""
        if block.open_ends and not self.has_open_loop:  # a void one may have none
            self.overheads_s, self.has_open_loop = [], True
        if block.slices_elapsed_ns:
            settling_ns = block.slices_elapsed_ns * self.experiment.settle_ns // self.experiment.slice_ns
            warmed_ns = 0 if self.experiment.turns is Turns.WHOLE else _warmed_ns(block)
            self.overheads_s.append((block.elapsed_ns - block.slices_elapsed_ns - settling_ns - warmed_ns) / 1e9)
        if block.validity != Validity.VOID:
            for name in (arm.name for arm in block.arms if arm.name != self.experiment.baseline):
                logs = log_ratios_by_round(block, self.experiment, name, throughput)
                self.ratios.setdefault(name, []).append([log for log in logs if log is not None])
        for failure in block.failures:
            self.ratios.pop(failure.arm, None)

    @property
    def least(self) -> tuple[int, int]:
        """Rounds and slice in ns if the time is too short for a block: without one block there is no answer."""
        if self.experiment.turns is Turns.WHOLE:
            return 1, self._slice_ns_least
        return METHOD.min_rounds, self.experiment.slice_ns

    @property
    def _slice_ns_least(self) -> int:
        return self.experiment.slice_ns_least or self.experiment.slice_ns

    def next(self, arms: int, done: int, seconds_left: float, warm_up_ns: int) -> Size | None:
        """The next block over so many arms; None when the time is over.

        `done` valid blocks are there; each arm will be warmed up for `warm_up_ns`.
        """
        overhead_s = self._overhead_s(arms, warm_up_ns)
        blocks_wanted = max(1, self.plan.looks[0] - done)
        if self.experiment.turns is Turns.WHOLE:
            return self._whole(arms, blocks_wanted, overhead_s, seconds_left)
        round_s = (self.experiment.settle_ns + self.experiment.slice_ns) * arms / 1e9 * METHOD.slice_edges
        at_most = max(METHOD.min_rounds, int(METHOD.max_block_s / round_s))
        spread = self._spread()
        if spread is not None:
            forecast = precision.forecast(
                spread,
                done=done,
                target=self.plan.precision,
                looks=self.plan.looks,
                error=looks.error_of_one_arm(self.experiment, looks.error_per_look(len(self.plan.looks))),
                error_left=self._error_left,
                seconds=seconds_left,
                overhead_s=overhead_s,
                round_s=round_s,
                rounds_at_least=METHOD.min_rounds,
                rounds_at_most=at_most,
            )
            if forecast is not None:
                return Size(forecast.rounds, self.experiment.slice_ns, forecast)
        elif not self.plan.quick:
            at_most = max(METHOD.min_rounds, int(METHOD.pilot_s / round_s))
        for blocks_left in range(blocks_wanted, 0, -1):  # fewer blocks if the time is short
            rounds = rounds_for_block(
                seconds_left=seconds_left,
                blocks_left=blocks_left,
                overhead_s=overhead_s,
                round_s=round_s,
                at_most=at_most,
            )
            if rounds:
                return Size(rounds, self.experiment.slice_ns)
        return None

    def _error_left(self, blocks: int) -> float:
        return looks.error_of_one_arm(self.experiment, looks.error_left(self.plan.looks, blocks))

    def _overhead_s(self, arms: int, warm_up_ns: int) -> float:
        """What a block takes besides its visits. Whole slices have no warm-up of their own, so the mean holds it."""
        if not self.overheads_s:
            return arms * (METHOD.block_overhead_s_per_arm + warm_up_ns / 1e9)
        mean_s = sum(self.overheads_s) / len(self.overheads_s)
        return mean_s if self.experiment.turns is Turns.WHOLE else mean_s + arms * warm_up_ns / 1e9

    def _whole(self, arms: int, blocks_wanted: int, overhead_s: float, seconds_left: float) -> Size | None:
        """Whole slices share the time evenly; there are fewer blocks if the slices would be too short."""
        for blocks_left in range(blocks_wanted, 0, -1):
            slice_ns = int((seconds_left / blocks_left - overhead_s) / (arms * METHOD.slice_edges) * 1e9)
            if slice_ns >= self._slice_ns_least:
                return Size(1, min(slice_ns, self.experiment.slice_ns))
        return None

    def _spread(self) -> Variances | None:
        """That of the arm that spreads most; a quick run has one length for all its blocks.

        Before the first look what restarts change is not known: by two or three blocks it is mostly chance, and would
        make blocks of two rounds.
        """
        if self.plan.quick:
            return None
        spreads = [precision.spread(blocks) for blocks in self.ratios.values()]
        known = [variances for variances in spreads if variances is not None]
        if max(map(len, self.ratios.values()), default=0) < self.plan.looks[0]:
            known = [Variances(within=variances.within, between=0.0) for variances in known]
        return max(known, key=lambda variances: variances.of_block(METHOD.min_rounds), default=None)


def _warmed_ns(block: Block) -> int:
    """How long all arms together were warmed up."""
    return sum(arm.warm_up.elapsed_ns for arm in block.arms if arm.warm_up is not None)


def block_seed(plan: Plan, experiment: str, block: int) -> int:
    """The seed of a block's order, from the run's: the same run again takes the same order."""
    return random.Random(f"{plan.seed}/{experiment}/{block}").getrandbits(63)


def rounds_for_block(*, seconds_left: float, blocks_left: int, overhead_s: float, round_s: float, at_most: int) -> int:
    """How many rounds fit into the next block when the time left is shared evenly; 0 when not even two do.

    >>> rounds_for_block(seconds_left=30, blocks_left=5, overhead_s=3, round_s=0.6, at_most=30)
    5
    >>> rounds_for_block(seconds_left=4, blocks_left=1, overhead_s=3, round_s=0.6, at_most=30)
    0
    """
    fitting = int((seconds_left / blocks_left - overhead_s) / round_s + 1e-9)
    return 0 if fitting < 2 else min(fitting, at_most)
