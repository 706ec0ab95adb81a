"""What was found of a claim: each comparison with its outcome, and the claim's own out of them. Pure.

It must not know records; claims.py reads them.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from hopcost import verdict
from hopcost.claim import Claim, Comparison, Relation
from hopcost.statistics import Interval
from hopcost.verdict import Better


class Outcome(Enum):
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


class Result(msgspec.Struct, frozen=True):
    """One comparison at one value, as measured and as published.

    `measured` is a ratio, or the drift over a soak as a factor. `blocks` are those that it was judged on, `record` is
    the directory's name. `published_fits` says whether the article's own figures bear its words out.
    """

    experiment: str
    test: Comparison
    to: str | None
    outcome: Outcome
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
        """None where the article printed nothing that could be compared."""
        if self.test.relation.is_of_errors:
            had = self.published_errors
            return None if had is None else had is (self.test.relation is Relation.SOME)
        if self.published is None:
            return None
        low, high = self.test.bounds
        return low <= self.published <= high


class Judged(msgspec.Struct, frozen=True):
    """A claim with all its results."""

    suite: str
    claim: Claim
    results: list[Result]

    @property
    def outcome(self) -> Outcome:
        """It fails with any of its tests, holds with all of them, and cannot be tested where none can be."""
        found = {each.outcome for each in self.results}
        if Outcome.DOES_NOT_HOLD in found:
            return Outcome.DOES_NOT_HOLD
        return found.pop() if len(found) == 1 else Outcome.UNKNOWN


def decide(test: Comparison, interval: Interval, margin: float | None) -> tuple[Outcome, bool]:
    """What a whole interval says of a relation, and whether a difference that holds is negligible.

    "more" and "less" are the verdicts faster and slower; what is the same within the margin is neither.
    """
    assert interval.low is not None and interval.high is not None, "asked of a whole interval"
    if test.relation in (Relation.MORE, Relation.LESS):
        found = verdict.judge(interval, margin, Better.HIGHER)
        claimed = Better.HIGHER.above if test.relation is Relation.MORE else Better.HIGHER.below
        if found.word == verdict.UNKNOWN:
            return Outcome.UNKNOWN, False
        return (Outcome.HOLDS, found.negligible) if found.word == claimed else (Outcome.DOES_NOT_HOLD, False)
    low, high = test.bounds
    if low <= interval.low and interval.high <= high:
        return Outcome.HOLDS, False
    if interval.high < low or interval.low > high:
        return Outcome.DOES_NOT_HOLD, False
    return Outcome.UNKNOWN, False
