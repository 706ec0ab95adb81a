"""Curves for a terminal: few rows, the knee in its place."""

from __future__ import annotations

from hopcost.report.questions.capacity.curve import MOST_ROWS, curve_of, knee_of, thinned
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.objectives import read_objectives
from hopcost.statistics.questions.capacity.points import RatePoint
from hopcost.statistics.questions.capacity.question import CapacityQuestion
from hopcost.statistics.questions.capacity.result import CapacityRow, Kind

QUESTION = CapacityQuestion("a/b", read_objectives([]))


def point(rate: float, p99_ms: float = 2.0, errors: int = 0) -> RatePoint:
    return RatePoint(rate, 1000, {"p50": 1_000_000, "p99": round(p99_ms * 1e6)}, errors, 0)


def row(points: list[RatePoint], per_s: float | None = 350.0) -> CapacityRow:
    known = None if per_s is None else Interval(value=per_s, low=300.0, high=400.0)
    return CapacityRow("go", Kind.MEASURED if known else Kind.NOT_SETTLED, known, 3, points)


def test_the_knee_is_the_last_rate_that_is_carried() -> None:
    points = [point(rate) for rate in (100.0, 300.0, 340.0, 360.0, 500.0)]
    assert knee_of(row(points), points) == 2
    assert knee_of(row(points, None), points) is None
    assert knee_of(row(points, 50.0), points) is None


def test_many_rates_are_thinned_evenly() -> None:
    points = [point(float(rate)) for rate in range(1, 41)]
    kept = thinned(points)
    assert len(kept) <= MOST_ROWS and kept[0] is points[0] and kept[-1] is points[-1]


def test_errors_get_a_column_only_if_there_are_some() -> None:
    assert "errors, not sent" not in curve_of(row([point(100.0)]), QUESTION).header
    assert "errors, not sent" in curve_of(row([point(100.0), point(200.0, errors=3)]), QUESTION).header
    assert not curve_of(row([]), QUESTION).rows
