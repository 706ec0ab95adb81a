"""Searches on simulated servers, with the rates, times and statistics of `hopcost capacity`, in no time. Seeded."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from hopcost.measure.protocols.capacity import timing
from hopcost.measure.protocols.capacity.search import Search
from hopcost.plan.method import METHOD
from hopcost.statistics import intervals
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.objectives import Objective
from hopcost.statistics.questions.capacity.outcome import Count, Outcome
from hopcost.statistics.questions.capacity.result import fit_long_probes
from tools.truth.sections.capacity.servers import SHARE, Known
from tools.truth.sections.capacity.simulated import slice_of

START_S = timing.ARM_START_S
SETTLE_S = METHOD.min_settle_ns / 1e9


class SimulatedSearch:
    """One search of an arm, on a clock of its own; as `Course` runs it."""

    def __init__(self, known: Known, time_s: float, seed: int) -> None:
        self.known, self.time_s = known, time_s
        self.objective = Objective(SHARE, round(known.p99_s * 1e9))
        server = known.server
        self.search = Search(server.servers / server.service_s * (1 - server.pause_s / server.period_s))
        self.passed_s = 0.0
        self._dice = np.random.default_rng(seed)
        self._server = server

    def run(self) -> Interval | None:
        """The capacity with its range, in requests per second."""
        self._climb()
        done = 0
        while (probes := self._next(done)) is not None:
            self._start()
            for _ in range(probes.number):
                self._probe(probes.seconds)
            done += 1
        binding = fit_long_probes(self.search.starts, METHOD.confidence_error)
        return None if binding is None else intervals.of_logs(binding.fit.log)

    def _next(self, done: int) -> timing.Probes | None:
        needed_s = timing.needed_probe_s([self.objective], self.search.usual_per_s)
        return timing.probes_of_start(self.time_s - self.passed_s, START_S, SETTLE_S, 1, needed_s, done)

    def _climb(self) -> None:
        self._start()
        after = 0
        for _ in range(timing.MOST_IN_CLIMB):
            after += self.search.has_ended_climb
            if after > timing.AFTER_CLIMB:
                return
            self._probe(timing.needed_probe_s([self.objective], self.search.usual_per_s))

    def _start(self) -> None:
        """A fresh one, whose service takes a little more or less."""
        self.passed_s += START_S
        self.search.begin_start()
        factor = math.exp(self.known.restart_spread * self._dice.standard_normal())
        self._server = msgspec.structs.replace(self.known.server, service_s=self.known.server.service_s * factor)

    def _probe(self, seconds: float) -> None:
        rate_per_s = self.search.next_rate()
        if not self.search.has_ended_climb:
            is_rung = not self.search.has_missed
            seconds = timing.climb_probe_s([self.objective], rate_per_s, is_rung=is_rung)
        times = slice_of(self._server, rate_per_s, SETTLE_S + seconds, self._dice)
        times = times[round(len(times) * SETTLE_S / (SETTLE_S + seconds)) :]
        slow = int((times >= self.known.p99_s).sum())
        self.search.add(Outcome(rate_per_s, [Count(slow, len(times), SHARE)], length_s=seconds))
        self.passed_s += SETTLE_S + seconds + timing.EDGES_S


def simulate(known: Known, time_s: float, seed: int) -> Interval | None:
    """What a search says that lasts so long; None if it finds nothing."""
    return SimulatedSearch(known, time_s, seed).run()
