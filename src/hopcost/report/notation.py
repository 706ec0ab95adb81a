"""Figures with their ranges, in the one notation that people read: `46 % (44–47)`, `+16 µs (15–17)`.

A figure and its range always have the same number of decimals. They have as few as tell the range, and more only if
rounding would hide on which side of a bound an end lies: `99.6 % (99.3–99.9)` is below 100 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hopcost.statistics.intervals import Interval

ABSENT = "–"
NO_RANGE = "no range"
MINUS = "−"
PER_CENT = "%"
MOST_DECIMALS = 3
BETWEEN = "–"
UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3))

Parts = tuple[str, str]  # a figure and its range, for two columns of a table


def share(ratio: Interval | None, against: Sequence[float] = (1.0,)) -> str:
    """A ratio in per cent. Rounding never moves an end onto a bound of `against`.

    >>> share(Interval(value=0.457, low=0.442, high=0.472))
    '46 % (44–47)'
    >>> share(Interval(value=0.457, low=None, high=None)), share(None)
    ('46 % no range', '–')
    >>> share(Interval(value=0.996, low=0.9932, high=0.9986))
    '99.6 % (99.3–99.9)'
    """
    return _joined(share_parts(ratio, against))


def share_parts(ratio: Interval | None, against: Sequence[float] = (1.0,)) -> Parts:
    """The same as figure and range.

    >>> share_parts(Interval(value=0.457, low=0.442, high=0.472))
    ('46 %', '(44–47)')
    >>> share_parts(Interval(value=1.0, low=1.0, high=1.0))
    ('100 %', '')
    """
    if ratio is None:
        return ABSENT, ""
    per_cent = _scaled(ratio, 100)
    decimals = _decimals(per_cent, [100 * bound for bound in against])
    return f"{_plain(per_cent.value, decimals)} {PER_CENT}", _range(per_cent, decimals, _plain)


def bound_mark(*, is_bound: bool, reference_is_bound: bool) -> str:
    """What stands before a share of which one side is a lower bound, since its generator was full.

    >>> bound_mark(is_bound=True, reference_is_bound=False), bound_mark(is_bound=False, reference_is_bound=True)
    ('≥', '≤')
    """
    if is_bound == reference_is_bound:
        return ""
    return "≥" if is_bound else "≤"


def change(ratio: Interval | None, against: Sequence[float] = (1.0,)) -> str:
    """How far a ratio is from 1, in per cent.

    >>> change(Interval(value=0.903, low=0.839, high=0.972))
    '−9.7 % (−16.1 to −2.8)'
    >>> change(Interval(value=0.94, low=0.81, high=1.1))
    '−6 % (−19 to +10)'
    >>> change(Interval(value=0.99, low=0.84, high=1.16))
    '−1 % (−16 to +16)'
    """
    return _joined(change_parts(ratio, against))


def change_parts(ratio: Interval | None, against: Sequence[float] = (1.0,)) -> Parts:
    """The same as figure and range.

    >>> change_parts(Interval(value=1.03, low=None, high=None))
    ('+3.0 %', 'no range')
    """
    if ratio is None:
        return ABSENT, ""
    low, high = (None if end is None else 100 * (end - 1) for end in (ratio.low, ratio.high))
    per_cent = Interval(value=100 * (ratio.value - 1), low=low, high=high)
    decimals = _decimals(per_cent, [100 * (bound - 1) for bound in against], whole_from=10)
    return f"{signed(per_cent.value, decimals)} {PER_CENT}", _range(per_cent, decimals, signed)


def noise(who: str, second: Interval, also: str = "") -> str:
    """How far the second run of a stack was from its first; `second` is the ratio of both.

    >>> noise("Go", Interval(value=0.96, low=0.918, high=1.004))
    'Noise: Go measured twice differed by −4.0 % (−8.2 to +0.4).'
    """
    return f"Noise: {who} measured twice differed by {change(second, against=())}{also}."


def added(ns: Interval | None) -> str:
    """A difference of times. If its range is above 0, the sign stands once.

    >>> added(Interval(value=16_100.0, low=15_000.0, high=17_200.0))
    '+16 µs (15–17)'
    >>> added(Interval(value=2_000.0, low=-1_000.0, high=5_000.0))
    '+2 µs (−1 to +5)'
    >>> added(Interval(value=-3_000.0, low=-5_000.0, high=-1_000.0))
    '−3 µs (−5 to −1)'
    >>> added(Interval(value=1_240_000.0, low=1_100_000.0, high=1_380_000.0))
    '+1.2 ms (1.1–1.4)'
    """
    return _joined(added_parts(ns))


def added_parts(ns: Interval | None) -> Parts:
    """The same as figure and range.

    >>> added_parts(Interval(value=400.0, low=300.0, high=520.0))
    ('+0.4 µs', '(0.3–0.5)')
    """
    if ns is None:
        return ABSENT, ""
    unit, length_ns = _unit(ns.value)
    scaled = _scaled(ns, 1 / length_ns)
    decimals = _decimals(scaled, [0.0])
    is_above = scaled.low is not None and scaled.low > 0
    return f"{signed(scaled.value, decimals)} {unit}", _range(scaled, decimals, _plain if is_above else signed)


def ratio(value: Interval | None) -> str:
    """A ratio as such, with three decimals: for details, where digits are wanted.

    >>> ratio(Interval(value=0.3971, low=0.3918, high=0.4023)), ratio(Interval(value=0.5, low=None, high=None))
    ('0.397 (0.392–0.402)', '0.500 no range')
    """
    return ABSENT if value is None else _joined((_plain(value.value, 3), _range(value, 3, _plain)))


def time(ns: float | None) -> str:
    """A time of its own.

    >>> time(74_300), time(7_430), time(1_240_000), time(74_000_000), time(None)
    ('74 µs', '7.4 µs', '1.24 ms', '74.0 ms', '–')
    """
    if ns is None:
        return ABSENT
    unit, length_ns = _unit(ns)
    value = ns / length_ns
    least = 0 if abs(value) >= 10 else 1
    return f"{_plain(value, least if unit == 'µs' else _of_three_digits(value))} {unit}"


def rate(per_s: float | None) -> str:
    """Requests per second, or any whole number. In a sentence `/s` follows.

    >>> rate(74_121.4), rate(4_700), rate(2.5), rate(None)
    ('74,121', '4,700', '2.5', '–')
    """
    if per_s is None:
        return ABSENT
    return _plain(per_s, 0 if per_s >= 10 or per_s == round(per_s) else 1)


def signed(value: float, decimals: int = 0) -> str:
    """With its sign; what rounds to 0 has none.

    >>> signed(5.04, 1), signed(-12.3), signed(0.2)
    ('+5.0', '−12', '0')
    """
    text = _plain(value, decimals)
    return text if float(text.replace(",", "").replace(MINUS, "-")) == 0 or value < 0 else f"+{text}"


def _plain(value: float, decimals: int) -> str:
    """Commas between thousands and a real minus sign; never minus 0."""
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _joined(parts: Parts) -> str:
    return " ".join(filter(None, parts))


def _scaled(interval: Interval, factor: float) -> Interval:
    low, high = (None if end is None else end * factor for end in (interval.low, interval.high))
    return Interval(value=interval.value * factor, low=low, high=high)


def _unit(ns: float) -> tuple[str, float]:
    return next(((unit, length) for unit, length in UNITS if abs(ns) >= length), UNITS[-1])


def _of_three_digits(value: float) -> int:
    """Decimals of a figure with three digits."""
    return 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0


def _decimals(interval: Interval, bounds: Sequence[float], whole_from: float = 1) -> int:
    """As few as show the figure and its range, and no end on a bound that it is not on.

    From a half-width of `whole_from` on there are none; a figure without a range has two digits.
    """
    if interval.low is None or interval.high is None:
        return 0 if abs(interval.value) >= 10 else 1
    ends, half_width = (interval.low, interval.high), (interval.high - interval.low) / 2
    least = 0
    if 0 < half_width < whole_from and abs(interval.value) < (10 if whole_from == 1 else 100):
        least = 1 if half_width >= whole_from / 10 or abs(interval.value) >= 1 else 2
    if half_width > 0 and abs(interval.value) < 100 and round(ends[0], least) == round(ends[1], least):
        least += 1
    for decimals in range(least, MOST_DECIMALS):
        if not any(_hides(end, bound, decimals) for end in ends for bound in bounds):
            return decimals
    return MOST_DECIMALS


def _hides(end: float, bound: float, decimals: int) -> bool:
    """Whether rounding would print the end as the bound, although it is not."""
    return end != bound and round(end, decimals) == round(bound, decimals)


def _range(interval: Interval, decimals: int, write: Callable[[float, int], str]) -> str:
    """`(44–47)`; ` to ` stands between ends of which one has a sign. Empty if the figure is exact."""
    if interval.low is None or interval.high is None:
        return NO_RANGE
    if interval.low == interval.high == interval.value:
        return ""
    beyond = 10.0 ** math.ceil(math.log10(10 * max(10.0, abs(interval.value))))  # two starts may give any figure
    low = write(interval.low, decimals) if interval.low >= -beyond else f"<{write(-beyond, 0)}"
    high = write(interval.high, decimals) if interval.high <= beyond else f">{write(beyond, 0)}"
    has_sign = any(sign in low + high for sign in (MINUS, "+"))
    return f"({low}{' to ' if has_sign else BETWEEN}{high})"
