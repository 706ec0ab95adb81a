"""Of two arms: faster, slower, same, or unknown, read off the printed interval. Pure numbers in, words out.

The margin is what nobody should care about: 2 %, or what this machine makes out of no difference (the A/A arm's
interval) where that is more. A check that cannot run gives "unknown", never "same".
"""

from __future__ import annotations

from enum import Enum

import msgspec

from hopcost.plan.method import METHOD
from hopcost.statistics.intervals import Interval


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


class Verdict(msgspec.Struct, frozen=True):
    """A word, whether the difference is real but negligible, and the margin (a fraction) that it was read against."""

    word: str
    negligible: bool
    margin: float | None

    def __str__(self) -> str:
        return f"{self.word}, negligible" if self.negligible else self.word


UNKNOWN = "unknown"
SAME = "same"


def margin(floor: Interval | None, least: float = METHOD.min_margin) -> float | None:
    """The larger of `least` and the far end of the A/A arm's interval; None where that interval is not known.

    >>> margin(Interval(value=1.0, low=0.98, high=1.05))
    0.05
    >>> margin(Interval(value=1.0, low=0.999, high=1.001))
    0.02
    """
    if floor is None or floor.low is None or floor.high is None or floor.low <= 0:
        return None
    return round(max(least, floor.high - 1, 1 / floor.low - 1), 12)


def judge_interval(interval: Interval | None, within: float | None, better: Better) -> Verdict:
    """The verdict on an arm whose ratio to the baseline has this interval, against a margin (a fraction).

    The margin reaches from 1 ÷ (1 + margin) to 1 + margin, so that "a to b" and "b to a" are judged alike.

    >>> str(judge_interval(Interval(value=0.9, low=0.88, high=0.92), 0.02, Better.HIGHER))
    'slower'
    >>> str(judge_interval(Interval(value=1.01, low=1.005, high=1.015), 0.02, Better.CHEAPER))
    'dearer, negligible'
    >>> str(judge_interval(Interval(value=1.0, low=0.99, high=1.01), 0.02, Better.HIGHER))
    'same'
    >>> str(judge_interval(Interval(value=1.0, low=0.9, high=1.1), 0.02, Better.HIGHER))
    'unknown'
    """
    if interval is None or interval.low is None or interval.high is None or within is None:
        return Verdict(word=UNKNOWN, negligible=False, margin=within)
    inside = interval.low >= 1 / (1 + within) and interval.high <= 1 + within
    if interval.low > 1:
        return Verdict(word=better.above, negligible=inside, margin=within)
    if interval.high < 1:
        return Verdict(word=better.below, negligible=inside, margin=within)
    return Verdict(word=SAME if inside else UNKNOWN, negligible=False, margin=within)


def is_biased(interval: Interval | None, least: float = METHOD.min_margin) -> bool | None:
    """Whether the baseline's second run differs from its first beyond the margin: then a run has no verdicts.

    The interval is that of second ÷ first, with the error of `AA_ERROR` spread over all such looks of the run. None
    where it is not known.
    """
    if interval is None or interval.low is None or interval.high is None:
        return None
    return interval.low > 1 + least or interval.high < 1 / (1 + least)


def is_settled(interval: Interval | None, within: float | None, target: float) -> bool:
    """Whether more blocks would add nothing that was asked for: narrow enough, or no end of the margin inside it."""
    if interval is None or interval.low is None or interval.high is None:
        return False
    width = interval.half_width
    if width is not None and width <= target:
        return True
    if within is None:
        return False
    return not any(interval.low <= end <= interval.high for end in (1 / (1 + within), 1 + within))
