"""A history as a picture that the server makes: shapes in per cent of the width and in pixels of the height.

Nothing of it needs a script, and it is as wide as the window: only the x of a shape is in per cent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

TOP, BOTTOM, HEIGHT = 58.0, 248.0, 276.0  # px: words of changes above, days below
LEAST_SPAN = 0.02  # of the logarithms: a history that hardly moves is no mountain range
ROOM = 0.06  # of the span, above and below
STEP_ROWS = 3  # words of changes that stand near each other
RATIO_TICKS, MOST_TICKS = 5, 8
FARTHEST = 100.0  # a logarithm: damaged figures make no endless picture
LINEAR_BELOW = 4.0  # highest ÷ lowest ratio: above it ticks are at 1, 2, 5 times powers of ten
DAYS = 5
RIGHT = 70.0  # per cent: from there words stand on the left of their line


@dataclass(frozen=True)
class Mark:
    """A record in the picture: logarithms of its ratio and of its range's ends, its link, and what hovering shows."""

    value: float
    low: float | None
    high: float | None
    link: str
    title: str
    day: str


@dataclass(frozen=True)
class Level:
    """A stretch: the records `first` to `after` (exclusive), and logarithms of its mean and its interval."""

    first: int
    after: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Step:
    """A change before the record `index`, in words."""

    index: int
    words: str


@dataclass(frozen=True)
class Point:
    """`x` in per cent, `y` and the ends of the range in pixels."""

    x: float
    y: float
    top: float
    bottom: float
    link: str
    title: str


@dataclass(frozen=True)
class Band:
    """`x` and `width` in per cent, the mean's `y`, `top` and `height` of the interval in pixels."""

    x: float
    width: float
    y: float
    top: float
    height: float


@dataclass(frozen=True)
class Word:
    """Words at a place; `anchor` is SVG's."""

    x: float
    y: float
    words: str
    anchor: str = "start"


@dataclass(frozen=True)
class Chart:
    """All shapes; `step` is a record's share of the width."""

    points: list[Point]
    bands: list[Band]
    changes: list[Word]
    rows: list[Word]
    days: list[Word]
    step: float
    top: float = TOP
    bottom: float = BOTTOM
    height: float = HEIGHT


def draw(marks: Sequence[Mark], levels: Sequence[Level], steps: Sequence[Step]) -> Chart:
    """The picture of at least one record; levels and steps count from its first one and may reach beyond it."""
    scale = _Scale(*_domain(marks, levels))
    step = 100 / len(marks)
    return Chart(
        points=[
            Point(
                x=_percent((number + 0.5) * step),
                y=scale.y(mark.value),
                top=scale.y(mark.value if mark.high is None else mark.high),
                bottom=scale.y(mark.value if mark.low is None else mark.low),
                link=mark.link,
                title=mark.title,
            )
            for number, mark in enumerate(marks)
        ],
        bands=[
            _band(level, scale, step, len(marks)) for level in levels if level.first < len(marks) and level.after > 0
        ],
        changes=_changes(steps, step, len(marks)),
        rows=[Word(0.0, scale.y(math.log(ratio)), words, "end") for ratio, words in ticks(scale.low, scale.high)],
        days=_days(marks, step),
        step=_percent(step),
    )


@dataclass(frozen=True)
class _Scale:
    """Logarithms to pixels; what lies outside is put on the edge."""

    low: float
    high: float

    def y(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(BOTTOM - share * (BOTTOM - TOP), 1)


def _domain(marks: Sequence[Mark], levels: Sequence[Level]) -> tuple[float, float]:
    """All ratios with their ranges, but no range further than the ratios themselves spread."""
    values = [min(max(value, -FARTHEST), FARTHEST) for value in _means(marks, levels)]
    low, high = min(values), max(values)
    span = max(high - low, LEAST_SPAN)
    ends_low = [mark.low for mark in marks if mark.low is not None]
    ends_high = [mark.high for mark in marks if mark.high is not None]
    low = max(min([low, *ends_low]), low - span)
    high = min(max([high, *ends_high]), high + span)
    missing = max(0.0, LEAST_SPAN - (high - low)) / 2
    room = ROOM * max(high - low, LEAST_SPAN)
    return low - missing - room, high + missing + room


def _means(marks: Sequence[Mark], levels: Sequence[Level]) -> list[float]:
    return [mark.value for mark in marks] + [level.mean for level in levels]


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round ratios between two logarithms, and each in per cent.

    >>> ticks(math.log(0.478), math.log(0.553))
    [(0.48, '48 %'), (0.5, '50 %'), (0.52, '52 %'), (0.54, '54 %')]
    >>> [words for _, words in ticks(math.log(0.9901), math.log(1.0101))]
    ['99.5 %', '100.0 %', '100.5 %', '101.0 %']
    >>> [words for _, words in ticks(math.log(0.02), math.log(3.0))]
    ['2 %', '5 %', '10 %', '20 %', '50 %', '100 %', '200 %']
    """
    least, most = math.exp(low), math.exp(high)
    if most / least > LINEAR_BELOW:
        powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
        ratios = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        inside = [ratio for ratio in ratios if least <= ratio <= most]
        return [(ratio, f"{100 * ratio:,.12g} %") for ratio in inside[:: math.ceil(len(inside) / MOST_TICKS)]]
    rough = (most - least) / RATIO_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    size = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough)
    decimals = max(0, -math.floor(math.log10(100 * size) + 1e-9))
    numbers = range(math.ceil(least / size), math.floor(most / size) + 1)
    return [(float(f"{number * size:.12g}"), f"{100 * number * size:,.{decimals}f} %") for number in numbers]


def _band(level: Level, scale: _Scale, step: float, count: int) -> Band:
    first, after = max(level.first, 0), min(level.after, count)
    top, bottom = scale.y(level.high), scale.y(level.low)
    return Band(
        x=_percent(first * step),
        width=_percent((after - first) * step),
        y=scale.y(level.mean),
        top=top,
        height=round(bottom - top, 1),
    )


def _changes(steps: Sequence[Step], step: float, count: int) -> list[Word]:
    """Their words in rows, so that neighbours do not stand on each other."""
    inside = [one for one in steps if 0 < one.index < count]
    words = []
    for number, one in enumerate(inside):
        x = _percent(one.index * step)
        words.append(Word(x, 14.0 + 16 * (number % STEP_ROWS), one.words, "end" if x > RIGHT else "start"))
    return words


def _days(marks: Sequence[Mark], step: float) -> list[Word]:
    """Some of the days, evenly; the first and the last are among them."""
    last = len(marks) - 1
    numbers = sorted({round(last * part / (DAYS - 1)) for part in range(DAYS)})
    words = []
    for number in numbers:
        anchor = "start" if number == 0 else "end" if number == last else "middle"
        words.append(Word(_percent((number + 0.5) * step), BOTTOM + 20, marks[number].day, anchor))
    return words


def _percent(value: float) -> float:
    return round(value, 3)
