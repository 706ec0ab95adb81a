"""Of two arms: a direction and its size, same, or not settled. Intervals in, words out.

The direction is read off the interval against 1. The size is read against the user's margin, which no noise widens.
`same` is two one-sided tests (TOST; Schuirmann 1987): the interval of twice the error lies inside the margin.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from hopcost.statistics.intervals import Interval

SAME = "same"
NOT_SETTLED = "not settled"  # more blocks may settle it
NO_VERDICT = "no verdict"  # more blocks of this kind will not


class Better(Enum):
    """Which way a figure is better, and the words for an arm that has it: throughput is higher, a time lower."""

    HIGHER = ("faster", "slower")
    SHORTER = ("slower", "faster")
    CHEAPER = ("dearer", "cheaper")

    @property
    def above(self) -> str:
        """The word for a ratio above 1."""
        return self.value[0]

    @property
    def below(self) -> str:
        """The word for a ratio below 1."""
        return self.value[1]

    @property
    def good(self) -> str:
        """The word for the better arm."""
        return self.above if self is Better.HIGHER else self.below

    @property
    def bad(self) -> str:
        """The word for the worse arm."""
        return self.below if self is Better.HIGHER else self.above


class Size(Enum):
    """The size of a difference that has a direction, against the margin."""

    BEYOND = "beyond the margin"
    NEGLIGIBLE = "negligible"
    OPEN = "open"


class Verdict(msgspec.Struct, frozen=True):
    """A word and the margin (a fraction) that it was read against; `size` if the word is a direction."""

    word: str
    size: Size | None
    margin: float

    @property
    def is_direction(self) -> bool:
        """Whether it says which arm is better."""
        return self.size is not None

    @property
    def negligible(self) -> bool:
        """Whether the difference is real but wholly inside the margin."""
        return self.size is Size.NEGLIGIBLE

    def __str__(self) -> str:
        return self.word + {Size.NEGLIGIBLE: ", negligible", Size.OPEN: ", size open"}.get(self.size or Size.BEYOND, "")


def judge_interval(
    interval: Interval | None,
    margin: float,
    better: Better,
    *,
    narrower: Interval | None = None,
    only: str | None = None,
) -> Verdict:
    """The verdict on an arm whose ratio to the baseline has this interval, against a margin (a fraction).

    `narrower` is the interval of twice the error, which decides `same`; without it the interval itself does. If one of
    the two figures is only a bound, `only` is the direction that this cannot turn round: all else has no verdict. The
    margin reaches from 1 ÷ (1 + margin) to 1 + margin, so that "a to b" and "b to a" are judged alike.

    >>> str(judge_interval(Interval(value=0.9, low=0.88, high=0.92), 0.02, Better.HIGHER))
    'slower'
    >>> str(judge_interval(Interval(value=0.97, low=0.95, high=0.99), 0.02, Better.HIGHER))
    'slower, size open'
    >>> str(judge_interval(Interval(value=1.01, low=1.005, high=1.015), 0.02, Better.CHEAPER))
    'dearer, negligible'
    >>> str(judge_interval(Interval(value=1.0, low=0.99, high=1.01), 0.02, Better.HIGHER))
    'same'
    >>> str(judge_interval(Interval(value=1.0, low=0.9, high=1.1), 0.02, Better.HIGHER))
    'not settled'
    >>> str(judge_interval(Interval(value=1.0, low=0.9, high=1.1), 0.02, Better.HIGHER, only="faster"))
    'no verdict'
    """
    verdict = _judge(interval, margin, better, narrower)
    if only is None or verdict.word == NO_VERDICT:
        return verdict
    if verdict.word != only:
        return Verdict(NO_VERDICT, None, margin)
    return msgspec.structs.replace(verdict, size=Size.OPEN) if verdict.negligible else verdict


def _judge(interval: Interval | None, margin: float, better: Better, narrower: Interval | None) -> Verdict:
    if interval is None or interval.low is None or interval.high is None:
        return Verdict(NO_VERDICT, None, margin)
    if interval.low > 1 or interval.high < 1:
        return Verdict(better.above if interval.low > 1 else better.below, _size(interval, margin), margin)
    return Verdict(SAME if is_inside(narrower or interval, margin) else NOT_SETTLED, None, margin)


def _size(interval: Interval, margin: float) -> Size:
    if is_inside(interval, margin):
        return Size.NEGLIGIBLE
    return Size.BEYOND if is_beyond(interval, margin) else Size.OPEN


def is_inside(interval: Interval | None, margin: float) -> bool:
    """Whether the whole interval lies within the margin; an unknown end does not."""
    if interval is None or interval.low is None or interval.high is None:
        return False
    return interval.low >= 1 / (1 + margin) and interval.high <= 1 + margin


def is_beyond(interval: Interval | None, margin: float) -> bool:
    """Whether the whole interval lies above the margin, or below it; an unknown end does not."""
    if interval is None or interval.low is None or interval.high is None:
        return False
    return interval.low > 1 + margin or interval.high < 1 / (1 + margin)
