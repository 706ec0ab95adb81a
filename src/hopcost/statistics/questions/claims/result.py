"""What records say of a claim: each comparison as measured, as published and as decided."""

from __future__ import annotations

import math

import msgspec

from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.questions.claims.decision import ClaimOutcome, conclude
from hopcost.suites.articles.claim import Claim, ClaimFigure, ClaimTest, Relation

DECIDED = (ClaimOutcome.HOLDS, ClaimOutcome.DOES_NOT_HOLD)


class Errors(msgspec.Struct, frozen=True):
    """An arm's errors over all valid blocks, warm-ups included, and in how many of these blocks it had any.

    `least` are those of the block with the fewest. In `unopened_blocks` some of its connections never opened: those
    sent nothing, so they count no error.
    """

    count: int
    blocks: int
    least: int
    unopened_blocks: int = 0


class ClaimTestResult(msgspec.Struct, frozen=True):
    """One comparison at one value, as measured and as published.

    `measured` is a ratio, or the drift over a soak as a factor, with its 95 % interval by itself. `p_value` is that of
    the outcome; None if there is none, and of errors. `reason` says why it is not settled or not testable, `to_settle`
    what an answer would still take (None if time alone brings none). `blocks` are those that it was judged on, `record`
    is the directory's name. `published_fits` says whether the article's own figures bear its words out.
    """

    experiment: str
    test: ClaimTest
    to: str | None
    outcome: ClaimOutcome
    reason: str = ""
    negligible: bool = False
    p_value: float | None = None
    measured: Interval | None = None
    errors: Errors | None = None
    blocks: int = 0
    record: str | None = None
    started_utc: str | None = None
    published: float | None = None
    published_errors: bool | None = None
    to_settle: Settling | None = None

    @property
    def seconds_to_settle(self) -> float:
        """Infinite if time alone brings no answer."""
        return math.inf if self.to_settle is None else self.to_settle.seconds

    @property
    def published_fits(self) -> bool | None:
        """None if the article printed nothing that could be compared."""
        if self.test.figure is ClaimFigure.ERRORS:
            had = self.published_errors
            return None if had is None else had is (self.test.relation is not Relation.NONE)
        if self.published is None:
            return None
        low, high = self.test.bounds
        return low <= self.published <= high


class ClaimResult(msgspec.Struct, frozen=True):
    """A claim with all its results."""

    suite: str
    claim: Claim
    results: list[ClaimTestResult]

    @property
    def outcome(self) -> ClaimOutcome:
        """Of all its comparisons together."""
        return conclude([result.outcome for result in self.results])

    @property
    def telling(self) -> ClaimTestResult:
        """The comparison that tells the outcome.

        It is the surest failure, the one that is furthest from an answer, or the least sure of all that hold.
        """
        match self.outcome:
            case ClaimOutcome.DOES_NOT_HOLD:
                failures = [result for result in self.results if result.outcome is self.outcome]
                return min(failures, key=lambda result: result.p_value or 0.0)
            case ClaimOutcome.HOLDS:
                return max(self.results, key=lambda result: result.p_value or 0.0)
            case _:
                undecided = [result for result in self.results if result.outcome not in DECIDED]
                return max(undecided, key=lambda result: result.seconds_to_settle)

    @property
    def to_settle(self) -> Settling | None:
        """What an answer to all its comparisons still takes; None if there is one, or if time alone brings none."""
        return self.telling.to_settle
