"""The outcome of a claim: that of each comparison, and the claim's own out of them. claims.py reads the records."""

from __future__ import annotations

from enum import Enum

import msgspec

from hopcost.statistics import verdict
from hopcost.statistics.intervals import Interval
from hopcost.statistics.verdict import Better
from hopcost.suites.claim import Claim, ClaimTest, Relation


class ClaimOutcome(Enum):
    """What a record says of a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    UNKNOWN = "unknown"
    NOT_TESTABLE = "not testable here"


class Errors(msgspec.Struct, frozen=True):
    """An arm's errors over all valid blocks, warm-ups included, and in how many of these blocks it had any.

    In `unopened_blocks` some of its connections never opened: those sent nothing, so they count no error.
    """

    count: int
    blocks: int
    unopened_blocks: int = 0


class ClaimTestResult(msgspec.Struct, frozen=True):
    """One comparison at one value, as measured and as published.

    `measured` is a ratio, or the drift over a soak as a factor. `blocks` are those that it was judged on, `record` is
    the directory's name. `published_fits` says whether the article's own figures bear its words out.
    """

    experiment: str
    test: ClaimTest
    to: str | None
    outcome: ClaimOutcome
    reason: str = ""
    negligible: bool = False
    measured: Interval | None = None
    errors: Errors | None = None
    blocks: int = 0
    record: str | None = None
    started_utc: str | None = None
    published: float | None = None
    published_errors: bool | None = None

    @property
    def published_fits(self) -> bool | None:
        """None if the article printed nothing that could be compared."""
        if self.test.relation.is_of_errors:
            had = self.published_errors
            return None if had is None else had is (self.test.relation is Relation.SOME)
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
        """It fails with any of its tests, holds with all of them, and cannot be tested where none can be."""
        outcomes = {result.outcome for result in self.results}
        if ClaimOutcome.DOES_NOT_HOLD in outcomes:
            return ClaimOutcome.DOES_NOT_HOLD
        return outcomes.pop() if len(outcomes) == 1 else ClaimOutcome.UNKNOWN


def decide_claim(test: ClaimTest, interval: Interval, margin: float) -> tuple[ClaimOutcome, bool]:
    """What a whole interval says of a relation, and whether a difference that holds is negligible.

    "more" and "less" are the verdicts faster and slower; what is the same within the margin is neither.
    """
    assert interval.low is not None and interval.high is not None, "asked of a whole interval"
    if test.relation in (Relation.MORE, Relation.LESS):
        judgement = verdict.judge_interval(interval, margin, Better.HIGHER)
        claimed = Better.HIGHER.above if test.relation is Relation.MORE else Better.HIGHER.below
        if judgement.word in (verdict.NOT_SETTLED, verdict.NO_VERDICT):
            return ClaimOutcome.UNKNOWN, False
        if judgement.word == claimed:
            return ClaimOutcome.HOLDS, judgement.negligible
        return ClaimOutcome.DOES_NOT_HOLD, False
    low, high = test.bounds
    if low <= interval.low and interval.high <= high:
        return ClaimOutcome.HOLDS, False
    if interval.high < low or interval.low > high:
        return ClaimOutcome.DOES_NOT_HOLD, False
    return ClaimOutcome.UNKNOWN, False
