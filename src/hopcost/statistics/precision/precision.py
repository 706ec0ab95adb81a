"""How precise an answer will be, and when: from how starts and rounds differ, and what each costs. Numbers alone.

The log-ratio of a start differs with the start (`between`) and with its rounds (`within`). Its variance is
between + within ÷ rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
from scipy.special import stdtrit

from hopcost.plan.method import METHOD

MANY_CONTRASTS = 4  # from so many on starts of one arm tell of the others'
DEGREES_PER_START = 1.5  # what that is worth: fits the widths of random_effects to within a tenth (its tests)
MAX_STARTS = 10**6  # nobody waits for so many


class Variances(msgspec.Struct, frozen=True):
    """Variances of a log-ratio: `within` of one round's, `between` of starts beyond what rounds explain."""

    within: float
    between: float

    def of_block(self, rounds: float) -> float:
        """The variance of a block's log-ratio over that many rounds."""
        return self.between + self.within / rounds


class Cost(msgspec.Struct, frozen=True):
    """Seconds that a start takes besides its rounds, and seconds of a round."""

    start_s: float
    round_s: float

    def of_block(self, rounds: int) -> float:
        """Seconds of a start with that many rounds."""
        return self.start_s + rounds * self.round_s


class Forecast(msgspec.Struct, frozen=True):
    """After how many blocks in all, of so many rounds each, which half-width, and in how many seconds from now."""

    blocks: int
    rounds: int
    half_width: float
    seconds: float


class Settling(msgspec.Struct, frozen=True):
    """How far a question is from an answer: `half_width` now, the one that would do, and what that still takes.

    Both half-widths are shares of the ratio (0.02: ±2 %). `starts` are those still needed, `seconds` their time.
    """

    half_width: float
    target: float
    starts: int
    seconds: float

    def seconds_from_nothing(self, starts: int) -> float:
        """What a new run takes that begins without the `starts` so far."""
        return (starts + self.starts) * self.seconds / self.starts


def rounds_per_start(cost: Cost, seen: Variances) -> int:
    """The rounds of a start that make the narrowest interval in a given time (Kalibera & Jones 2013, 6.3).

    >>> rounds_per_start(Cost(start_s=3.05, round_s=8.0), Variances(within=0.019**2, between=0.024**2))
    2
    >>> rounds_per_start(Cost(start_s=8.0, round_s=2.0), Variances(within=0.04**2, between=0.01**2))
    8
    """
    if seen.between <= 0 or cost.round_s <= 0:
        return MAX_STARTS
    best = math.sqrt(cost.start_s / cost.round_s * seen.within / seen.between)
    return max(METHOD.min_rounds, round(best))


def half_width(seen: Variances, starts: int, rounds: float, error: float, contrasts: int = MANY_CONTRASTS) -> float:
    """The half-width, as a logarithm, that an interval over so many starts is expected to have; inf for one start.

    `error` is that of this interval, `contrasts` the number of ratios in the record. It is Student's t; if starts of
    other arms help, with more degrees of freedom than its own starts give.
    """
    if starts < 2:
        return math.inf
    degrees = (starts - 1) * (DEGREES_PER_START if contrasts >= MANY_CONTRASTS else 1.0)
    return float(stdtrit(degrees, 1 - error / 2)) * math.sqrt(seen.of_block(rounds) / starts)


def starts_to_reach(
    target: float, seen: Variances, rounds: float, error: float, contrasts: int = MANY_CONTRASTS
) -> int:
    """The least number of starts in all whose interval is expected to be within ±target.

    >>> starts_to_reach(0.01, Variances(within=0.0, between=0.03**2), 2, 0.0125)
    59
    """
    few, many = 1, 2
    while many < MAX_STARTS and half_width(seen, many, rounds, error, contrasts) > target:
        few, many = many, many * 2
    while many - few > 1:
        middle = (few + many) // 2
        if half_width(seen, middle, rounds, error, contrasts) > target:
            few = middle
        else:
            many = middle
    return many


def forecast(
    seen: Variances,
    cost: Cost,
    *,
    rounds: int,
    done: int,
    target: float,
    looks: Iterable[int],
    look_error: float,
    end_error: float,
    seconds: float,
    contrasts: int = MANY_CONTRASTS,
) -> Forecast | None:
    """When a run with `done` blocks ends, and how precise it is then: at the first look within ±target, or with time.

    `looks` are the numbers of blocks to come at which it may end, in order, without an end; `look_error` and
    `end_error` are an interval's then and at the end of the time, which is in `seconds`. None if that holds too little.
    """
    at_end = done + int(seconds / cost.of_block(rounds) + 1e-9)
    for blocks in looks:
        if blocks > at_end:
            break
        width = half_width(seen, blocks, rounds, look_error, contrasts)
        if width <= target:
            return Forecast(blocks, rounds, width, (blocks - done) * cost.of_block(rounds))
    if at_end < 2:
        return None
    return Forecast(at_end, rounds, half_width(seen, at_end, rounds, end_error, contrasts), max(0.0, seconds))


def half_width_that_settles(log_ratio: float, margin: float) -> float:
    """The half-width, as a logarithm, that gives a verdict if the estimate stays where it is.

    max(|l|, ln(1 + margin) - |l|): an interval no wider than |l| on either side excludes 1, which is a direction; one
    that ends inside the margin is `same`. The wider of the two comes first. It is at least half the margin.

    >>> half_width_that_settles(0.05, margin=0.02), round(half_width_that_settles(0.0, margin=0.02), 4)
    (0.05, 0.0198)
    """
    distance = abs(log_ratio)
    return max(distance, math.log1p(margin) - distance)


def time_to_reach(
    target: float,
    seen: Variances,
    *,
    half_width: float,
    rounds: float,
    error: float,
    starts: int,
    seconds: float,
    contrasts: int = MANY_CONTRASTS,
) -> Settling:
    """What a ratio with this `half_width` (a share) still takes until it is within ±target (a logarithm).

    So many `starts` took `seconds` so far. At least one more: the forecast may say that they are enough, but the
    interval does not yet.
    """
    more = max(1, starts_to_reach(target, seen, rounds, error, contrasts) - starts)
    return Settling(half_width=half_width, target=math.sinh(target), starts=more, seconds=more * seconds / starts)
