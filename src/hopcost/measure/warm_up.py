"""How long arms are warmed up before a block's slices: a few long warm-ups show how long the others must be."""

from __future__ import annotations

from hopcost.generators.engine_protocol import Validity
from hopcost.plan import slices
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.slices import WARM_UP_NS_PER_CONNECTION
from hopcost.record.block import Block
from hopcost.statistics.summary.warm_up import WarmUpLength, warm_up_length

LONG_WARM_UP_SHARE = 1 / 20  # of the time left, for all arms together
LONG_WARM_UP_NS_LEAST = 1_000_000_000
STARTS = 2  # in one alone a change may be the machine's


class WarmUpPolicy:
    """The warm-up of the next block, given the finished ones."""

    def __init__(self, plan: Plan, experiment: PlannedExperiment) -> None:
        self.plan = plan
        self.experiment = experiment
        self._length = WarmUpLength(length_ns=plan.warm_up_least_ns, unsteady=[])
        self._long: list[Block] = []  # the valid blocks with a long warm-up

    @property
    def usual_ns(self) -> int:
        """The warm-up that arms need, as far as it is known."""
        return self._length.length_ns

    def next_ns(self, arms: int, seconds_left: float) -> int:
        """The warm-up of each of so many arms in the next block."""
        return self._long_ns(arms, seconds_left) if self._is_long() else self.usual_ns

    def add(self, block: Block) -> None:
        """Take a finished block into account."""
        if block.validity != Validity.VOID and self._is_long():
            self._long.append(block)
            self._length = warm_up_length(self._long, self.plan.warm_up_least_ns)

    def _is_long(self) -> bool:
        """Whether the next warm-up is long, to show how long the others must be.

        The first block's is. The second's is if an arm took longer than the least. All are while an arm is not steady.
        """
        if not self._long or self._length.unsteady:
            return True
        return len(self._long) < STARTS and self.usual_ns > self.plan.warm_up_least_ns

    def _long_ns(self, arms: int, seconds_left: float) -> int:
        """Long enough to fill pools of so many connections, but no more than a share of the time left.

        Short slices would not show a change, so their warm-up is the least.
        """
        if slices.are_short(self.experiment):
            return self.plan.warm_up_least_ns
        share_ns = int(seconds_left * 1e9 * LONG_WARM_UP_SHARE / arms)
        filling_ns = WARM_UP_NS_PER_CONNECTION * self.experiment.workload.connections
        return min(self.plan.warm_up_most_ns + filling_ns, max(LONG_WARM_UP_NS_LEAST, share_ns))
