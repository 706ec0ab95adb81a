"""Which rate an arm is offered next. Pure: it knows outcomes, and neither stacks nor clocks.

In the first start the rate climbs from a tenth of the arm's full throughput until a rate misses, and the interval is
halved until it is narrow. After that each rate is a small step below or above what is known of the start so far, in
turns: the capacity of every start is found by rates on both sides of it. Such sequences are due to Robbins and Monro
(1951, Annals of Mathematical Statistics 22); that each step uses a fit of all outcomes, to Wu (1985, JASA 80).
"""

from __future__ import annotations

import math

from hopcost.plan.method import METHOD
from hopcost.statistics.questions.capacity.fit import CapacityFit, KnownSoFar, fit_objectives
from hopcost.statistics.questions.capacity.outcome import Outcome

LADDER = (0.1, 0.4, 0.7, 0.85, 1.0, 1.1)  # of the full throughput
ABOVE = 1.3  # times, beyond the ladder: a closed loop over few connections may be far below the capacity
IDLE_SHARE = 0.02  # of the full throughput: a stack that misses there misses always
LEAST_IDLE_PER_S = 1.25  # of which a probe has five: fewer requests tell nothing
NARROW = math.log(1.08)  # of an interval that is halved no more
LEAST_STEP, MOST_STEP = 0.01, 0.08  # of the logarithm of the rate
TRIES = 2  # of a rate that the generator could not offer, and of a doubtful one
DOUBTFUL_SHARE = 0.5  # of the full throughput: a rate below that misses may have met a stall of the machine
MOST_RATE_PER_S = 10_000_000.0  # the engine's


class Search:
    """One arm's. `full_per_s` is its throughput in the closed loop."""

    def __init__(self, full_per_s: float) -> None:
        self.full_per_s = full_per_s
        self.starts: list[list[Outcome]] = []
        self.limited: dict[float, int] = {}  # rates that the generator could not offer, and how often it tried
        self.first_side = -1
        self._was_bracketed = False
        self._fitted: tuple[int, int, CapacityFit | None] = (0, 0, None)  # of so many starts and outcomes

    def begin_start(self) -> None:
        """The outcomes that follow are of a fresh start."""
        self.starts.append([])
        self.first_side = -self.first_side

    def forget_start(self) -> None:
        """The machine was disturbed in the last start: a server and a generator looked slower in it than they are."""
        self.starts.pop()
        self.first_side = -self.first_side
        self.limited.clear()
        self._fitted = (0, 0, None)
        self._was_bracketed = self.is_bracketed

    def add(self, outcome: Outcome) -> None:
        """Take what a rate came to into account."""
        if outcome.is_limited:
            self.limited[outcome.rate_per_s] = self.limited.get(outcome.rate_per_s, 0) + 1
        else:
            self.starts[-1].append(outcome)
            self._was_bracketed = self._was_bracketed or self.is_bracketed

    @property
    def outcomes(self) -> list[Outcome]:
        """Those of all starts."""
        return [outcome for start in self.starts for outcome in start]

    @property
    def misses_idle(self) -> bool:
        """Whether it misses its objectives almost without load."""
        _, missed = self._bracket()
        return missed is not None and self._is_lowest(missed)

    @property
    def limit_per_s(self) -> float | None:
        """The lowest rate that the generator could not offer in several tries; None if it could offer all."""
        return min((rate for rate, tries in self.limited.items() if tries >= TRIES), default=None)

    @property
    def is_at_limit(self) -> bool:
        """Whether the generator ends before the arm does: no lower rate misses."""
        limit_per_s = self.limit_per_s
        return limit_per_s is not None and not any(
            outcome.misses and outcome.rate_per_s < limit_per_s for outcome in self.outcomes
        )

    @property
    def is_bracketed(self) -> bool:
        """Whether a rate that holds and one that misses are so near that the fit can take over."""
        held, missed = self._bracket()
        return held is not None and missed is not None and math.log(missed / held) <= NARROW

    @property
    def has_ended_climb(self) -> bool:
        """Whether the first start's climb is over, one way or the other."""
        return self._was_bracketed or self.is_at_limit or self.misses_idle

    @property
    def has_missed(self) -> bool:
        """Whether a rate has missed yet."""
        return any(outcome.misses for outcome in self.outcomes)

    @property
    def so_far(self) -> KnownSoFar:
        """What is known by now."""
        held, missed = self._bracket()
        fitted = self.fit() if self.is_bracketed else None
        return KnownSoFar(held, missed, None if fitted is None else math.exp(fitted.log.value))

    @property
    def usual_per_s(self) -> float:
        """About its capacity, as far as that is known."""
        known = self.so_far
        return known.capacity_per_s or known.held_per_s or self.full_per_s

    def next_rate(self) -> float:
        """Requests per second of the next probe."""
        rate = self._climb() if not self.has_ended_climb else self._near()
        return round(min(rate, MOST_RATE_PER_S), 3)

    def fit(self) -> CapacityFit | None:
        """What all starts tell of the objective that ends first; None while rates lie on one side."""
        starts, outcomes = len(self.starts), len(self.outcomes)
        if self._fitted[:2] != (starts, outcomes):
            binding = fit_objectives(self.starts, METHOD.confidence_error)
            self._fitted = (starts, outcomes, None if binding is None else binding.fit)
        return self._fitted[2]

    def _is_lowest(self, rate_per_s: float) -> bool:
        return rate_per_s <= 1.01 * self._idle_per_s

    @property
    def _idle_per_s(self) -> float:
        return max(LEAST_IDLE_PER_S, self.full_per_s * IDLE_SHARE)

    @property
    def _rungs(self) -> list[float]:
        return [max(2 * LEAST_IDLE_PER_S, share * self.full_per_s) for share in LADDER]

    def _bracket(self) -> tuple[float | None, float | None]:
        """The highest rate that holds below all that miss, and the lowest that misses."""
        probes: dict[float, list[bool]] = {}
        for outcome in self.outcomes:
            probes.setdefault(outcome.rate_per_s, []).append(outcome.misses)
        missed = min((rate for rate, misses in probes.items() if 2 * sum(misses) > len(misses)), default=None)
        held = max((rate for rate in probes if missed is None or rate < missed), default=None)
        return held, missed

    def _tries(self, rate_per_s: float) -> int:
        return sum(outcome.rate_per_s == rate_per_s for outcome in self.outcomes)

    def _climb(self) -> float:
        held, missed = self._bracket()
        if missed is not None and missed < DOUBTFUL_SHARE * self.full_per_s and self._tries(missed) < TRIES:
            return missed
        if held is None:
            return self._rungs[0] if missed is None else self._idle_per_s
        if missed is not None:
            return math.sqrt(held * missed)
        tried_in_vain = [rate for rate, tries in self.limited.items() if tries < TRIES]
        if tried_in_vain:
            return min(tried_in_vain)
        return next((rate for rate in self._rungs if rate > held * 1.001), held * ABOVE)

    def _near(self) -> float:
        if self.misses_idle:
            return self._idle_per_s
        if self.is_at_limit:
            held, _ = self._bracket()
            return held if held is not None else self._rungs[0]
        fitted = self.fit()
        assert fitted is not None, "the climb has found rates on both sides"
        step = min(MOST_STEP, max(LEAST_STEP, 1 / fitted.steepness))
        side = self.first_side * (-1) ** len(self.starts[-1])
        return math.exp(fitted.starts[-1] + side * step)
