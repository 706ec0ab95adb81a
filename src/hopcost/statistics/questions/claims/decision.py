"""Whether a claim holds: an intersection-union test over its comparisons. Pure numbers; claims.py reads the records.

A claim holds if all its comparisons hold, so each is tested at the full 5 %, one-sided: the claim is wrong in at most
5 % of cases however many comparisons it has (Berger 1982). "About" needs both tails, each at 5 % (two one-sided tests,
Schuirmann 1987). A claim does not hold if any comparison fails: there the comparisons share the 5 % (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum

import msgspec

from hopcost.plan.method import METHOD
from hopcost.suites.articles.claim import Relation

ERROR = METHOD.confidence_error
LEAST_P = 1e-6  # so far out a P-value is the model's guess, and its digits are rounding


class ClaimOutcome(Enum):
    """What a record says of a claim, or of one of its comparisons."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_SETTLED = "not settled"
    NOT_TESTABLE = "not testable here"


class Bound(Enum):
    """How the measured ratio lies to the true one: a full generator shows less than an arm can do."""

    NONE = "exact"
    LOWER = "the true ratio is at least the measured one"
    UPPER = "the true ratio is at most the measured one"
    BOTH = "nothing is known of the true ratio"

    @classmethod
    def of(cls, *, is_lower: bool, is_upper: bool) -> Bound:
        """Of a ratio whose arm, or whose other arm, is shown with less than it can do."""
        if is_lower and is_upper:
            return cls.BOTH
        return cls.LOWER if is_lower else cls.UPPER if is_upper else cls.NONE


class Evidence(msgspec.Struct, frozen=True):
    """A measured ratio beside what is claimed of it.

    `allowed` are the ends of the ratios that the claim allows, 0 and infinity included. `probability_below(x)` is the
    probability that the logarithm of the true ratio is at most x. `margin` (a fraction) is what counts as the same.
    """

    relation: Relation
    allowed: tuple[float, float]
    probability_below: Callable[[float], float]
    margin: float
    bound: Bound = Bound.NONE

    def doubt_above(self, ratio: float) -> float:
        """How probable it is that the true ratio is not above this one."""
        if ratio <= 0:
            return 0.0
        return 1.0 if self.bound in (Bound.UPPER, Bound.BOTH) else self.probability_below(math.log(ratio))

    def doubt_below(self, ratio: float) -> float:
        """How probable it is that the true ratio is not below this one."""
        if math.isinf(ratio):
            return 0.0
        return 1.0 if self.bound in (Bound.LOWER, Bound.BOTH) else 1.0 - self.probability_below(math.log(ratio))

    def doubt_between(self, low: float, high: float) -> float:
        """How probable it is that the true ratio is beyond one of these ends; the larger of both tails."""
        return max(self.doubt_above(low), self.doubt_below(high))

    @property
    def doubt_of_same(self) -> float:
        """How probable it is that the ratio differs from 1 by more than the margin; the larger of both tails."""
        return self.doubt_between(1 / (1 + self.margin), 1 + self.margin)

    @property
    def doubt_of_holding(self) -> float:
        """The P-value of "holds"."""
        return self.doubt_between(*self.allowed)

    @property
    def doubt_of_failing(self) -> float:
        """The P-value of "does not hold", before Holm.

        "About" may fail at either end, so its P-value is doubled. What is the same within the margin is neither more
        nor less.
        """
        low, high = self.allowed
        ends = [self.doubt_below(low)] if low > 0 else []
        ends += [self.doubt_above(high)] if not math.isinf(high) else []
        doubt = min(1.0, len(ends) * min(ends))
        return min(doubt, self.doubt_of_same) if self.is_direction else doubt

    @property
    def is_direction(self) -> bool:
        """Whether only a side of 1 is claimed."""
        return self.relation in (Relation.MORE, Relation.LESS)

    def ways_to_settle(self, log_ratio: float, comparisons: int) -> list[tuple[float, float]]:
        """(half-width, two-sided error) of each interval that is an answer if the ratio stays where it is.

        Widths are logarithms; `comparisons` share the error of a failure. A ratio that is only a bound has none: there
        more starts need not help.

        >>> at_least = Evidence(Relation.AT_LEAST, (1.0, math.inf), lambda x: 0.5, 0.02)
        >>> at_least.ways_to_settle(0.01, comparisons=2), at_least.ways_to_settle(-0.01, comparisons=2)
        ([(0.01, 0.1)], [(0.01, 0.05)])
        """
        if self.bound is not Bound.NONE:
            return []
        low, high = (math.log(end) if end > 0 else -math.inf for end in self.allowed)
        inside = min(log_ratio - low, high - log_ratio)
        finite_ends = 2 - math.isinf(low) - math.isinf(high)
        ways = [(inside, 2 * ERROR)] if inside > 0 else [(-inside, 2 * ERROR / comparisons / finite_ends)]
        same = math.log1p(self.margin) - abs(log_ratio)
        if self.is_direction and same > 0:
            ways.append((same, 2 * ERROR / comparisons))
        return ways


class Decision(msgspec.Struct, frozen=True):
    """What came of one comparison, and its P-value (never below LEAST_P); None if it is not settled."""

    outcome: ClaimOutcome
    p_value: float | None = None
    is_negligible: bool = False


def decide(comparisons: Sequence[Evidence | None], error: float = ERROR) -> list[Decision]:
    """A decision for each comparison of a claim; None stands for one that was measured but may not be judged.

    It counts among those that share the error: who leaves it out would choose comparisons by their outcome.
    """
    decisions = [Decision(ClaimOutcome.NOT_SETTLED)] * len(comparisons)
    doubts = [1.0] * len(comparisons)
    for place, evidence in enumerate(comparisons):
        if evidence is None:
            continue
        if evidence.doubt_of_holding <= error:
            is_negligible = evidence.is_direction and evidence.doubt_of_same <= error
            decisions[place] = Decision(ClaimOutcome.HOLDS, _rounded(evidence.doubt_of_holding), is_negligible)
        else:
            doubts[place] = evidence.doubt_of_failing
    for place, p_value in enumerate(adjust_by_holm(doubts)):
        if p_value <= error:
            decisions[place] = Decision(ClaimOutcome.DOES_NOT_HOLD, _rounded(p_value))
    return decisions


def _rounded(p_value: float) -> float:
    return max(LEAST_P, round(p_value, 6))


def adjust_by_holm(p_values: Sequence[float]) -> list[float]:
    """The P-values made larger, so that each can be compared with the error that all share (Holm 1979).

    >>> adjust_by_holm([0.04, 0.01, 0.5])
    [0.08, 0.03, 0.5]
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def conclude(outcomes: Sequence[ClaimOutcome]) -> ClaimOutcome:
    """A claim fails with any of its comparisons, holds with all of them, cannot be tested if none can be."""
    if ClaimOutcome.DOES_NOT_HOLD in outcomes:
        return ClaimOutcome.DOES_NOT_HOLD
    return outcomes[0] if len(set(outcomes)) == 1 else ClaimOutcome.NOT_SETTLED
