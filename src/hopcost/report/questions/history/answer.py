"""What a history says of one figure of an arm: series that may stand beside each other, their stretches and changes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from hopcost.history.points import KeptRecord, Point, Series
from hopcost.statistics import intervals
from hopcost.statistics.change_points import Change, Segments, Stretch, change_points
from hopcost.statistics.intervals import Interval


class Trend(msgspec.Struct, frozen=True):
    """A series with its stretches."""

    series: Series
    segments: Segments

    @property
    def points(self) -> tuple[Point, ...]:
        """By time, at least one."""
        return self.series.points

    @property
    def newest(self) -> KeptRecord:
        """The record of the last point."""
        return self.points[-1].record

    def around(self, change: Change) -> tuple[KeptRecord, KeptRecord]:
        """The last record before it, and the first one after it."""
        return self.points[change.index - 1].record, self.points[change.index].record


class HistoryAnswer(msgspec.Struct, frozen=True):
    """`name` is SUITE/EXPERIMENT/ARM, `figure` as it is kept. The first trend has the newest record; never mixed."""

    name: str
    figure: str
    trends: tuple[Trend, ...]

    @property
    def shown(self) -> Trend:
        """The trend that the answer is about."""
        return self.trends[0]


def answer_of(series: Sequence[Series]) -> HistoryAnswer:
    """Of all series of one figure of an arm, at least one, none of them empty."""
    trends = sorted(map(trend_of, series), key=lambda trend: trend.newest.started, reverse=True)
    first = trends[0].series
    return HistoryAnswer(f"{first.suite}/{first.experiment}/{first.arm}", first.figure, tuple(trends))


def trend_of(series: Series) -> Trend:
    """A series, cut into stretches."""
    return Trend(series, change_points(*logs_of(series)))


def logs_of(series: Series) -> tuple[list[float], list[float | None]]:
    """Log-ratios of its points, and their standard errors."""
    logs = [math.log(point.ratio) for point in series.points]
    return logs, [point.standard_error for point in series.points]


def share_of(stretch: Stretch) -> Interval:
    """The ratio to the baseline in a stretch."""
    return intervals.of_logs(Interval(value=stretch.mean, low=stretch.low, high=stretch.high))


def ratio_of(change: Change) -> Interval:
    """After ÷ before."""
    return intervals.of_logs(Interval(value=change.size, low=change.low, high=change.high))
