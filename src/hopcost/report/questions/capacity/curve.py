"""The curve of an arm for a terminal: a bar for each rate, solid to the median and shaded to a quantile."""

from __future__ import annotations

import math

from hopcost.report import notation
from hopcost.report.document import Bar, BarRow, Bars
from hopcost.report.questions.capacity.words import rate_parts
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.points import RatePoint
from hopcost.statistics.questions.capacity.question import CapacityQuestion
from hopcost.statistics.questions.capacity.result import CapacityRow, Kind

MOST_ROWS = 12
USUAL = "p99"  # of a question that is about errors alone
KNEE = "◄ capacity"


def shown_quantile(question: CapacityQuestion) -> str:
    """The quantile that bars and charts show beside the median: that of the first objective with a time."""
    names = [objective.name for objective in question.objectives if objective.time_ns is not None]
    return names[0] if names else USUAL


def curve_of(row: CapacityRow, question: CapacityQuestion) -> Bars:
    """Response times by offered rate; the length of a bar is the logarithm of the time."""
    quantile = shown_quantile(question)
    points = thinned([point for point in row.points if point.response_time_ns.get("p50")])
    if not points:
        return Bars([], [])
    least_ns = min(point.response_time_ns["p50"] or 1 for point in points) / 2
    most = math.log(max(_highest(point) for point in points) / least_ns)
    has_errors = any(point.errors or point.not_sent for point in points)
    bars = Bars([f"{row.arm}: requests/s", "p50", quantile, *(["errors, not sent"] if has_errors else []), ""], [])
    knee = knee_of(row, points)
    for place, point in enumerate(points):
        p50, high = point.response_time_ns["p50"] or 1, point.response_time_ns.get(quantile)
        bar = Bar(math.log(p50 / least_ns), math.log((high or p50) / least_ns), most)
        failed = [f"{point.errors:,}, {point.not_sent:,}"] if has_errors else []
        mark = KNEE if place == knee else ""
        cells = [notation.time(p50), notation.time(high), *failed, mark]
        bars.rows.append(BarRow(rate_parts(Interval(point.rate_per_s, None, None))[0], [], bar, cells))
    return bars


def thinned(points: list[RatePoint]) -> list[RatePoint]:
    """At most a dozen, spread over all of them."""
    if len(points) <= MOST_ROWS:
        return points
    places = {round(place * (len(points) - 1) / (MOST_ROWS - 1)) for place in range(MOST_ROWS)}
    return [point for place, point in enumerate(points) if place in places]


def knee_of(row: CapacityRow, points: list[RatePoint]) -> int | None:
    """The place of the last point that is not above the capacity; None without one."""
    if row.per_s is None or row.kind is not Kind.MEASURED:
        return None
    below = [place for place, point in enumerate(points) if point.rate_per_s <= row.per_s.value]
    return below[-1] if below else None


def _highest(point: RatePoint) -> float:
    return float(max(value for value in point.response_time_ns.values() if value is not None))
