"""How long arms are warmed up before a block's slices: by requests, and as long as a few long warm-ups have shown.

A program that compiles itself as it runs warms up by requests. Pools and caches fill by time.
"""

from __future__ import annotations

from hopcost.measure.load.warm_up import arrival_ns
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Scope
from hopcost.programs.generators.engine_lines import Validity, WarmedUp
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.summary.warm_up import WarmUpLength, warm_up_length
from hopcost.statistics.validity.steady import why_not_steady


class WarmUpPolicy:
    """The warm-up of the next block, given the finished ones."""

    def __init__(self, plan: Plan, experiment: PlannedExperiment) -> None:
        self.plan = plan
        self.experiment = experiment
        self._length = WarmUpLength(length_ns=plan.warm_up_least_ns, unsteady=[])
        self._long: list[Block] = []  # the valid blocks with a long warm-up
        self._times = 1  # the least requests, how often
        self._alike: list[Block] = []  # the valid blocks since this number changed
        self._seconds: float | None = None  # the experiment's time as it began
        self._most_ns = plan.warm_up_least_ns

    @property
    def usual_ns(self) -> int:
        """The warm-up that arms need, as far as it is known: the mean over arms, so many requests included."""
        if self.experiment.scope is Scope.PROCESSES:
            return self.plan.warm_up_least_ns if self._alike else METHOD.min_long_warm_up_ns
        warm_ups = [part.warm_up for part in self._alike[-1].arms if part.warm_up is not None] if self._alike else []
        least_ns = max(self._length.length_ns, arrival_ns(self.experiment.workload))
        if not warm_ups:
            return least_ns
        needed_ns = [min(time_to(warm_up, self._requests), self._most_ns) for warm_up in warm_ups]
        return sum(max(ns, least_ns) for ns in needed_ns) // len(needed_ns)

    def next(self, arms: int, seconds_left: float) -> WarmUp:
        """The warm-up of each of so many arms in the next block.

        A running server is warmed up in the first one; after that its connections alone are new.
        """
        if self.experiment.scope is Scope.PROCESSES and self._alike:
            return WarmUp(least_ns=self.plan.warm_up_least_ns, most_ns=self.plan.warm_up_least_ns)
        self._seconds = self._seconds or seconds_left
        together_s = min(METHOD.max_warm_up_s, self._times * METHOD.warm_up_share * self._seconds)
        self._most_ns = int(together_s * 1e9 / arms)
        least_ns = self._long_ns(arms, seconds_left) if self._is_long() else self._length.length_ns
        least_ns = max(least_ns, arrival_ns(self.experiment.workload))
        return WarmUp(least_ns=least_ns, most_ns=max(least_ns, self._most_ns), requests=self._requests)

    def add(self, block: Block) -> None:
        """Take a finished block into account."""
        if block.validity == Validity.VOID:
            return
        if self._is_long():
            self._long.append(block)
            self._length = warm_up_length(self._long, self.plan.warm_up_least_ns)
        self._alike.append(block)
        if self._is_still_warming_up():
            self._times, self._alike = 2 * self._times, []

    @property
    def _requests(self) -> int:
        """At the least; as many as the apps of the arms need, if that is known."""
        hops = [hop for arm in self.experiment.arms for hop in arm.arm.hops]
        known = [hop.app.warm_up_requests for hop in hops if hop.app is not None and hop.app.warm_up_requests > 0]
        return self._times * max(known, default=METHOD.warm_up_requests)

    def _is_still_warming_up(self) -> bool:
        """Whether the CPU per request of an arm falls over the counted rounds, though all were warmed up."""
        parts: dict[str, list[ArmBlock]] = {}
        for part in (part for block in self._alike for part in block.arms):
            parts.setdefault(part.name, []).append(part)
        return any(why_not_steady(starts) is not None for starts in parts.values())

    def _is_long(self) -> bool:
        """Whether the next warm-up is long, to show how long the others must be.

        The first block's is. The second's is if an arm took longer than the least. All are while an arm is not steady.
        """
        if not self._long or self._length.unsteady:
            return True
        return len(self._long) < METHOD.warm_up_starts and self._length.length_ns > self.plan.warm_up_least_ns

    def _long_ns(self, arms: int, seconds_left: float) -> int:
        """Long enough to fill pools of so many connections, but a share of the time left at most.

        A quick run's is the least: it has no time to look for a plateau.
        """
        if self.plan.quick:
            return self.plan.warm_up_least_ns
        share_ns = int(seconds_left * 1e9 * METHOD.long_warm_up_share / arms)
        filling_ns = METHOD.warm_up_ns_per_connection * self.experiment.workload.connections
        return min(self.plan.warm_up_most_ns + filling_ns, max(METHOD.min_long_warm_up_ns, share_ns))


def time_to(warm_up: WarmedUp, requests: int) -> int:
    """After how many ns the arm had answered so many requests; by its last slice's speed if the warm-up ended before.

    >>> warm_up = WarmedUp(arm="a", elapsed_ns=300, plateau=True, answers=[0, 40, 80], errors={},
    ...     slices_elapsed_ns=[100, 100, 100], cpu_ns=[])
    >>> [time_to(warm_up, requests) for requests in (40, 100, 200)]
    [200, 275, 400]
    """
    answered, elapsed_ns, answers, slice_ns = 0, 0, 0, 0
    for answers, slice_ns in zip(warm_up.answers, warm_up.slices_elapsed_ns, strict=False):
        if answered + answers >= requests:
            return elapsed_ns + slice_ns * (requests - answered) // max(1, answers)
        answered, elapsed_ns = answered + answers, elapsed_ns + slice_ns
    return elapsed_ns + slice_ns * (requests - answered) // answers if answers else warm_up.elapsed_ns
