"""Figures and versions of a history in words."""

from __future__ import annotations

from hopcost.history.points import Point, Versions
from hopcost.report import notation
from hopcost.report.formatting import ABSENT
from hopcost.report.questions.two_records_details import NAMES
from hopcost.statistics.comparisons import THROUGHPUT
from hopcost.statistics.intervals import Interval
from hopcost.statistics.verdict import Better

AT = "@"
PER_SECOND = "/s"


def figure_words(figure: str) -> str:
    """A figure's name for people.

    >>> figure_words("throughput"), figure_words("cpu_per_request:nginx@2000/s"), figure_words("response_p99@0.25")
    ('req/s', 'CPU per request of nginx at 2,000/s', 'response time p99 at 25 % of the slowest stack')
    """
    name, _, load = figure.partition(AT)
    base, _, hop = name.partition(":")
    words = NAMES.get(base, base) + (f" of {hop}" if hop else "")
    if not load:
        return words
    try:
        if load.endswith(PER_SECOND):
            return f"{words} at {notation.rate(float(load.removesuffix(PER_SECOND)))}/s"
        return f"{words} at {100 * float(load):.3g} % of the slowest stack"
    except ValueError:
        return f"{words} at {load}"


def direction(figure: str, size: float) -> str:
    """What a change is called whose logarithm is `size`.

    >>> direction("throughput", -0.05), direction("cpu_per_request@0.25", -0.05), direction("response_p50", 0.1)
    ('slower', 'cheaper', 'slower')
    """
    name = figure.partition(AT)[0]
    better = Better.HIGHER if name == THROUGHPUT else Better.CHEAPER if name.startswith("cpu") else Better.SHORTER
    return better.above if size > 0 else better.below


def share_parts(point: Point) -> notation.Parts:
    """The ratio to the baseline, and its range."""
    return notation.share_parts(Interval(value=point.ratio, low=point.low, high=point.high))


def value_words(value: float | None, unit: str) -> str:
    """An absolute figure.

    >>> value_words(38_798.2, "requests/s"), value_words(74_300.0, "ns"), value_words(None, "ns")
    ('38,798 req/s', '74 µs', '–')
    """
    if value is None:
        return ABSENT
    return notation.time(value) if unit == "ns" else f"{notation.rate(value)} {'req/s' if unit == 'requests/s' else unit}"


def changed_versions(before: Versions, after: Versions) -> list[str]:
    """What is not the same.

    >>> old = Versions(hopcost="1", method=5, kernel="6.1", cpu="A", programs={"nginx": "1.22.1", "go": "1"})
    >>> new = Versions(hopcost="1", method=5, kernel="6.6", cpu="A", programs={"nginx": "1.24.0", "php": "8"})
    >>> changed_versions(old, new)
    ['nginx 1.22.1 → 1.24.0', 'kernel 6.1 → 6.6', 'without go 1', 'with php 8']
    """
    pairs = [(name, version, after.programs.get(name)) for name, version in before.programs.items()]
    pairs += [(name, getattr(before, name), getattr(after, name)) for name in ("hopcost", "kernel", "cpu")]
    changes = [f"{name} {old} → {new}" for name, old, new in pairs if new is not None and old != new]
    changes += [f"without {name} {old}" for name, old, new in pairs if new is None]
    return changes + [f"with {name} {new}" for name, new in after.programs.items() if name not in before.programs]
