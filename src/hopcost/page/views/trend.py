"""An arm's history: a chart with its change points, a table of the records, and links to what else there is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hopcost.history.points import KeptRecord, Point, Series
from hopcost.page import links
from hopcost.page.answers import Page
from hopcost.page.asked import BadAddress, Query
from hopcost.page.chart import Chart, Level, Mark, Step, draw
from hopcost.page.kept import Kept
from hopcost.page.links import Trend
from hopcost.page.views.asked_trend import choose_series, find_changes, is_asked, read_trend
from hopcost.page.views.figures import changed_versions, direction, figure_words, share_parts, value_words
from hopcost.report import notation
from hopcost.statistics.change_points import Change, Segments, Stretch
from hopcost.statistics.intervals import Interval, of_logs

SHOWN = 120  # records on a page: on a phone three pixels each
MOST_CHOICES = 30  # figures or series that the page leads to


class Choice(NamedTuple):
    """A link to another figure, or to another series of the figure."""

    words: str
    link: str
    is_current: bool


@dataclass(frozen=True)
class Row:
    """A record's figure; `changed` is what is not as in the record before."""

    record: KeptRecord
    figure: str
    range: str
    value: str
    baseline_value: str
    changed: list[str]


@dataclass(frozen=True)
class FoundChange:
    """A change point: its size in words, the records around it, and what is not the same of them."""

    size: str
    word: str
    before: KeptRecord
    after: KeptRecord
    changed: list[str]
    compare: str


def show_trend(kept: Kept, query: Query) -> Page:
    """The newest series of an arm, or the one that is asked for; without an arm, all that there are."""
    if not is_asked(query):
        return Page("histories.html.j2", {"suites": _by_suite(kept)})
    asked, figures, all_series = read_trend(kept, query)
    series = choose_series(all_series, asked.series)
    asked = asked._replace(series=links.key_of(series))
    points, segments = series.points, find_changes(series.points)
    after = len(points) - asked.older
    if after < 1:
        raise BadAddress(f"older: expected less than {len(points)}, got {asked.older}", "begin at the newest record")
    first = max(0, after - SHOWN)
    content = {
        "asked": asked,
        "figure": figure_words(series.figure),
        "baseline": points[-1].baseline,
        "newest": points[-1].record,
        "figures": _figures(figures, series, asked),
        "all_series": _all_series(all_series, series, asked),
        "count": len(points),
        "first": first + 1,
        "after": after,
        "chart": _chart(points[first:after], segments, first),
        "rows": [_row(points, number) for number in reversed(range(first, after))],
        "changes": [_change(points, change, series.figure) for change in reversed(segments.changes)],
        "level": _level(segments.stretches[-1]),
        "level_since": points[segments.stretches[-1].first].record,
        "level_records": segments.stretches[-1].records,
        "spread": f"{100 * math.expm1(segments.spread):.2g} %",
        "newer": links.trend(asked._replace(older=max(0, asked.older - SHOWN))) if asked.older else None,
        "older": links.trend(asked._replace(older=asked.older + SHOWN)) if first > 0 else None,
        "csv": links.trend_data(asked._replace(older=0)),
    }
    return Page("trend.html.j2", content)


def _by_suite(kept: Kept) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Suite → experiment → arms with their addresses, sorted."""
    suites: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for suite, experiment, arm in sorted(kept.arms()):
        arms = suites.setdefault(suite, {}).setdefault(experiment, [])
        arms.append((arm, links.trend(Trend(suite, experiment, arm))))
    return suites


def _figures(figures: Sequence[str], series: Series, asked: Trend) -> list[Choice]:
    """Another figure begins with its newest series: machines and configurations are the same, their keys too."""
    return [
        Choice(figure_words(name), links.trend(asked._replace(figure=name, older=0)), name == series.figure)
        for name in figures[:MOST_CHOICES]
    ]


def _all_series(all_series: Sequence[Series], current: Series, asked: Trend) -> list[Choice]:
    """What may not be mixed: each machine, method and configuration."""
    choices = []
    for series in all_series[:MOST_CHOICES]:
        key, newest = links.key_of(series), series.points[-1].record
        count = f"{len(series.points):,} {'record' if len(series.points) == 1 else 'records'}"
        words = f"{newest.host} {series.machine[:8]}, method {series.method}, as configured {series.configuration[:8]}"
        link = links.trend(asked._replace(series=key, older=0))
        choices.append(Choice(f"{words}: {count}", link, series is current))
    return choices


def _chart(points: Sequence[Point], segments: Segments, first: int) -> Chart:
    """Of the points on the page, the first of which is number `first` of the history."""
    marks = [
        Mark(
            value=math.log(point.ratio),
            low=_log(point.low),
            high=_log(point.high),
            link=links.record(point.record.digest),
            title=_title(point),
            day=f"{point.record.started:%Y-%m-%d}",
        )
        for point in points
    ]
    levels = [
        Level(stretch.first - first, stretch.after - first, stretch.mean, stretch.low, stretch.high)
        for stretch in segments.stretches
        if stretch.first < first + len(points) and stretch.after > first
    ]
    return draw(marks, levels, [Step(change.index - first, _size(change)[0]) for change in segments.changes])


def _log(ratio: float | None) -> float | None:
    return math.log(ratio) if ratio is not None and 0 < ratio < math.inf else None


def _title(point: Point) -> str:
    labels = " ".join(f"{name}={value}" for name, value in point.record.labels.items())
    words = [f"{point.record.started:%Y-%m-%d %H:%M}", " ".join(filter(None, share_parts(point))), labels]
    return " · ".join(filter(None, words))


def _row(points: Sequence[Point], number: int) -> Row:
    point = points[number]
    figure, its_range = share_parts(point)
    before = points[number - 1].record.versions if number else None
    return Row(
        record=point.record,
        figure=figure,
        range=its_range,
        value=value_words(point.value, point.unit),
        baseline_value=value_words(point.baseline_value, point.unit),
        changed=changed_versions(before, point.record.versions) if before is not None else [],
    )


def _change(points: Sequence[Point], change: Change, figure: str) -> FoundChange:
    before, after = points[change.index - 1].record, points[change.index].record
    return FoundChange(
        size=" ".join(filter(None, _size(change))),
        word=direction(figure, change.size),
        before=before,
        after=after,
        changed=changed_versions(before.versions, after.versions),
        compare=links.compare(before.digest, after.digest),
    )


def _size(change: Change) -> notation.Parts:
    return notation.change_parts(of_logs(Interval(value=change.size, low=change.low, high=change.high)))


def _level(stretch: Stretch) -> str:
    return notation.share(of_logs(Interval(value=stretch.mean, low=stretch.low, high=stretch.high)))
