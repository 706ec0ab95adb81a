"""One experiment under way: a search for each arm, and start after start until the time is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.protocols.capacity import timing
from hopcost.measure.protocols.capacity.load import load_probe
from hopcost.measure.protocols.capacity.search import Search
from hopcost.measure.protocols.capacity.start import measure_start
from hopcost.measure.protocols.capacity.timing import Probes
from hopcost.measure.protocols.capacity.watcher import CapacityWatcher
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedArm
from hopcost.programs.generators.engine_lines import Validity
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.record.contents.block import Block
from hopcost.record.contents.run import Ending, StopReason
from hopcost.statistics.figures import throughput
from hopcost.statistics.questions.capacity.objectives import Objective
from hopcost.statistics.questions.capacity.outcome import read_outcome
from hopcost.statistics.validity.reasons import shorten_reasons

CLIMB_SHARE = 0.6  # of the time that the first start may take


class Course:
    """`ends_s` is when its time is over, on the rig's clock; `objectives` are what rates must hold."""

    def __init__(
        self, context: BlockContext, watcher: CapacityWatcher, objectives: Sequence[Objective], ends_s: float
    ) -> None:
        self.context, self.watcher, self.objectives = context, watcher, objectives
        self.rig = context.rig
        self.begins_s, self.ends_s = self.rig.now_s(), ends_s
        self.searches: dict[str, Search] = {}
        self.failed: set[str] = set()
        self._start_s = timing.ARM_START_S * len(context.experiment.arms)
        self._void = self._valid = 0
        self._probing: list[Search] = []  # in the start that runs

    def run(self) -> Ending:
        """All starts, into the record; why it ended. KeyboardInterrupt goes on behind the start that it stopped."""
        number = 0
        while True:
            arms = self._arms()
            step = self._next(arms)
            if isinstance(step, Ending):
                return step
            began_s, probing_s = self.rig.now_s(), 0.0
            self._probing = []

            def probe(block: Block, ready: list[CheckedArm], probes: Probes = step) -> None:
                nonlocal probing_s
                self._begin(block, ready)
                since_s = self.rig.now_s()
                try:
                    self._probe(block, ready, probes)
                finally:
                    probing_s = self.rig.now_s() - since_s

            block, is_stopped = measure_start(self.context, arms, number, self._warm_up(arms), probe)
            self.context.finish(block)
            if is_stopped:
                raise KeyboardInterrupt
            if probing_s:
                self._start_s = self.rig.now_s() - began_s - probing_s
            failure = self._note(block)
            if failure is not None:
                return failure
            number += 1

    def _arms(self) -> list[PlannedArm]:
        """Those that did not fail, and of which more is to be known."""
        idle = {name for name, search in self.searches.items() if search.misses_idle}
        return [arm for arm in self.context.experiment.arms if arm.name not in self.failed | idle]

    def _next(self, arms: Sequence[PlannedArm]) -> Probes | Ending:
        """The probes of the next start, or why there is none."""
        if not arms:
            why = StopReason.FAILED if self.failed else StopReason.BLOCKS
            return self._ending(
                why, "no arm is left" if self.failed else "even without load no arm holds the objectives"
            )
        left_s, settle_s = self.ends_s - self.rig.now_s(), self.context.experiment.settle_ns / 1e9
        needed_s = self._needed_s(arms)
        if not self.searches:  # the climb is as long as it is
            return Probes(needed_s, timing.MOST_IN_CLIMB)
        done = max(0, self._valid - 1)
        probes = timing.probes_of_start(left_s, self._start_s, settle_s, len(arms), needed_s, done)
        if probes is not None:
            return probes
        if self._valid >= timing.LEAST_STARTS:
            return self._ending(StopReason.TIME, f"{self._valid} starts in the time given")
        whole_s = timing.needed_time_s(self._start_s, settle_s, len(arms), needed_s)
        return self._ending(
            StopReason.TIME,
            f"{self._valid} {'start' if self._valid == 1 else 'starts'} in the time given;"
            f" probes of {needed_s:.3g} s are needed, in all {whole_s:.0f} s",
        )

    def _ending(self, why: StopReason, detail: str) -> Ending:
        return Ending(experiment=self.context.experiment.name, why=why, detail=detail)

    def _needed_s(self, arms: Sequence[PlannedArm]) -> float:
        """How long probes must be: at the lowest of the capacities, as far as they are known."""
        rates = [self.searches[arm.name].usual_per_s for arm in arms if arm.name in self.searches]
        return timing.needed_probe_s(self.objectives, min(rates, default=float("inf")))

    def _warm_up(self, arms: Sequence[PlannedArm]) -> WarmUp:
        hops = [hop for arm in arms for hop in arm.arm.hops if hop.app is not None]
        known = [hop.app.warm_up_requests for hop in hops if hop.app is not None and hop.app.warm_up_requests > 0]
        most_ns, requests = timing.warm_up_ns(self.ends_s - self.begins_s, len(arms), known)
        return WarmUp(least_ns=self.context.plan.warm_up_least_ns, most_ns=most_ns, requests=requests)

    def _begin(self, block: Block, ready: Sequence[CheckedArm]) -> None:
        """A search for each arm that has none yet; their fresh starts begin."""
        parts = {part.name: part for part in block.arms}
        for arm in ready:
            full_per_s = throughput(parts[arm.arm.name])
            if arm.arm.name not in self.searches and full_per_s:
                self.searches[arm.arm.name] = Search(full_per_s)
        self._probing = [self.searches[arm.arm.name] for arm in ready if arm.arm.name in self.searches]
        for search in self._probing:
            search.begin_start()

    def _probe(self, block: Block, ready: list[CheckedArm], probes: Probes) -> None:
        """Probe after probe; a climb ends a little after the last arm has ended its own."""
        ready = [arm for arm in ready if arm.arm.name in self.searches]
        searches = {arm.arm.name: self.searches[arm.arm.name] for arm in ready}
        climbs = not all(search.has_ended_climb for search in searches.values())
        after, climb_ends_s = 0, self.begins_s + CLIMB_SHARE * (self.ends_s - self.begins_s)
        for _ in range(timing.MOST_IN_CLIMB if climbs else probes.number):
            if climbs and all(search.has_ended_climb for search in searches.values()):
                after += 1
            if climbs and (after > timing.AFTER_CLIMB or (after and self.rig.now_s() > climb_ends_s)):
                return
            rates = {name: search.next_rate() for name, search in searches.items()}
            lengths_s = {name: self._length_s(searches[name], rate, probes) for name, rate in rates.items()}
            edges_s = len(ready) * (timing.EDGES_S + self.context.experiment.settle_ns / 1e9)
            if self.rig.now_s() + sum(lengths_s.values()) + edges_s > self.ends_s:
                return
            self._offer(block, ready, rates, lengths_s)

    def _length_s(self, search: Search, rate_per_s: float, probes: Probes) -> float:
        if search.has_ended_climb:
            needed_s = timing.needed_probe_s(self.objectives, rate_per_s)
            return max(probes.seconds, min(needed_s, timing.MOST_PROBE_S))
        return timing.climb_probe_s(self.objectives, rate_per_s, is_rung=not search.has_missed)

    def _offer(
        self, block: Block, ready: list[CheckedArm], rates: Mapping[str, float], lengths_s: Mapping[str, float]
    ) -> None:
        self.watcher.offers(rates)
        loads = load_probe(self.context, block, ready, rates, lengths_s)
        for name, load in loads.items():
            outcome = read_outcome(load, self.objectives, self.context.experiment)
            if outcome is not None:
                self.searches[name].add(outcome)
        self.watcher.knows({name: search.so_far for name, search in self.searches.items()})

    def _note(self, block: Block) -> Ending | None:
        """A start is done; why the experiment fails, None if it goes on. A void start does not guide the next rates."""
        self.failed |= {failure.arm for failure in block.failures}
        if block.validity is not Validity.VOID:
            self._valid += 1
            return None
        self._void += 1
        for search in self._probing:
            search.forget_start()
        if self._void > max(METHOD.max_void_blocks, self._valid):
            return self._ending(StopReason.FAILED, f"{self._void} void starts: {shorten_reasons(block.reasons)}")
        return None
