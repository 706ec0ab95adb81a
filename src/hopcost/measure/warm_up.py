"""How long arms are warmed up before a block's slices: a few long warm-ups show how long the others must be."""

from __future__ import annotations

from hopcost.generators.engine_protocol import Validity
from hopcost.plan import slices
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.record.block import Block
from hopcost.statistics.summary.warm_up import WarmUpLength, warm_up_length


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
        return len(self._long) < METHOD.warm_up_starts and self.usual_ns > self.plan.warm_up_least_ns

    def _long_ns(self, arms: int, seconds_left: float) -> int:
        """Long enough to fill pools of so many connections, but no more than a share of the time left.

        Short slices would not show a change, so their warm-up is the least.
        """
        if slices.are_short(self.experiment):
            return self.plan.warm_up_least_ns
        share_ns = int(seconds_left * 1e9 * METHOD.long_warm_up_share / arms)
        filling_ns = METHOD.warm_up_ns_per_connection * self.experiment.workload.connections
        return min(self.plan.warm_up_most_ns + filling_ns, max(METHOD.min_long_warm_up_ns, share_ns))
