"""A point's figures as cells."""

from __future__ import annotations

from hopcost.history.points import Point
from hopcost.report import notation
from hopcost.statistics.intervals import Interval

WORDS = {"requests/s": "req/s"}  # of units


def share_parts(point: Point) -> notation.Parts:
    """The ratio to the baseline, and its range."""
    return notation.share_parts(Interval(value=point.ratio, low=point.low, high=point.high))


def share_words(point: Point) -> str:
    """The same in one."""
    return " ".join(filter(None, share_parts(point)))


def value_words(value: float | None, unit: str) -> str:
    """An absolute figure.

    >>> value_words(38_798.2, "requests/s"), value_words(74_300.0, "ns"), value_words(None, "ns")
    ('38,798 req/s', '74 µs', '–')
    """
    if value is None:
        return notation.ABSENT
    return notation.time(value) if unit == "ns" else f"{notation.rate(value)} {WORDS.get(unit, unit)}"
