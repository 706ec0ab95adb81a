"""An arm's history: a chart with its change points, a table of the records, and links to what else there is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hopcost.history.points import KeptRecord, Point, Series
from hopcost.page import links
from hopcost.page.answers import Data, Page
from hopcost.page.asked import BadAddress, Query
from hopcost.page.chart import Chart, Level, Mark, Step, draw
from hopcost.page.kept import Kept
from hopcost.page.links import AskedTrend
from hopcost.page.views.asked_trend import choose_series, cut, is_asked, read_trend
from hopcost.page.views.cells import share_parts, share_words, value_words
from hopcost.report import Format, notation, render
from hopcost.report.formatting import CONFIDENCE_IN_TEXT, count
from hopcost.report.questions.history import history_report
from hopcost.report.questions.history.answer import HistoryAnswer, Trend, ratio_of, share_of
from hopcost.report.questions.history.changed import NOTHING, changed_between, words
from hopcost.report.questions.history.document import sentence
from hopcost.report.questions.history.words import day, direction, figure_words, machine_words
from hopcost.statistics.change_points import Change, Stretch

SHOWN = 120  # records on a page: on a phone three pixels each
MOST_CHOICES = 30  # figures or series that the page leads to
MOST_CHANGES = 20  # that it tells one by one
SHORT = 8  # signs of a digest


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
    says: str
    before: KeptRecord
    after: KeptRecord
    changed: list[str]
    compare: str


@dataclass(frozen=True)
class FoundStretch:
    """Records of one level: the first and the last of them, and the ratio to the baseline with its range."""

    first: KeptRecord
    last: KeptRecord
    records: int
    share: str


def show_trend(kept: Kept, query: Query) -> Page:
    """The newest series of an arm, or the one that is asked for; without an arm, all that there are."""
    if not is_asked(query):
        return Page("histories.html.j2", {"suites": _by_suite(kept)})
    asked, figures, all_series = read_trend(kept, query)
    trend = cut(choose_series(all_series, asked.series))
    asked = asked._replace(series=links.key_of(trend.series))
    points = trend.points
    after = len(points) - asked.older
    if after < 1:
        raise BadAddress(f"older: expected less than {len(points)}, got {asked.older}", "begin at the newest record")
    first = max(0, after - SHOWN)
    content = {
        "asked": asked,
        "figure": figure_words(trend.series.figure),
        "baseline": points[-1].baseline,
        "sentence": sentence(_answer(asked, trend)),
        "machine": machine_words(trend.series),
        "figures": _figures(figures, asked if trend.series is not all_series[0] else asked._replace(series=None)),
        "all_series": _all_series(all_series, trend.series, asked),
        "count": len(points),
        "first": first + 1,
        "after": after,
        "chart": _chart(trend, first, after),
        "rows": [_row(points, number) for number in reversed(range(first, after))],
        "changes": [_change(trend, change) for change in trend.segments.changes[: -MOST_CHANGES - 1 : -1]],
        "more_changes": max(0, len(trend.segments.changes) - MOST_CHANGES),
        "nothing": NOTHING,
        "stretches": [_stretch(trend, stretch) for stretch in trend.segments.stretches[: -MOST_CHANGES - 2 : -1]],
        "spread": f"{100 * trend.segments.spread:.2g} %",
        "confidence": CONFIDENCE_IN_TEXT,
        "newer": links.trend(asked._replace(older=max(0, asked.older - SHOWN))) if asked.older else None,
        "older": links.trend(asked._replace(older=asked.older + SHOWN)) if first > 0 else None,
        "csv": links.trend_data(asked._replace(older=0)),
    }
    return Page("trend.html.j2", content)


def save_trend(kept: Kept, query: Query) -> Data:
    """The whole series as CSV, as `hopcost history --format csv` writes it."""
    asked, _, all_series = read_trend(kept, query)
    trend = cut(choose_series(all_series, asked.series))
    text = render(history_report(_answer(asked, trend)), Format.CSV)
    return Data(text, Format.CSV, f"{asked.suite}-{asked.experiment}-{asked.arm}-{trend.series.figure}")


def _answer(asked: AskedTrend, trend: Trend) -> HistoryAnswer:
    return HistoryAnswer(f"{asked.suite}/{asked.experiment}/{asked.arm}", trend.series.figure, (trend,))


def _by_suite(kept: Kept) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Suite → experiment → arms with their addresses, sorted."""
    suites: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for suite, experiment, arm in sorted(kept.arms()):
        arms = suites.setdefault(suite, {}).setdefault(experiment, [])
        arms.append((arm, links.trend(AskedTrend(suite, experiment, arm))))
    return suites


def _figures(figures: Sequence[str], asked: AskedTrend) -> list[Choice]:
    """A series has the same key for all figures of an arm, if it has them."""
    return [
        Choice(figure_words(name), links.trend(asked._replace(figure=name, older=0)), name == asked.figure)
        for name in figures[:MOST_CHOICES]
    ]


def _all_series(all_series: Sequence[Series], current: Series, asked: AskedTrend) -> list[Choice]:
    """What is not mixed: each machine, method and configuration."""
    return [
        Choice(
            f"{machine_words(series)}, method {series.method}, configuration {series.configuration[:SHORT]}:"
            f" {count(len(series.points), 'record')}",
            links.trend(asked._replace(series=links.key_of(series), older=0)),
            series is current,
        )
        for series in all_series[:MOST_CHOICES]
    ]


def _chart(trend: Trend, first: int, after: int) -> Chart:
    """Of the records `first` to `after` (exclusive)."""
    marks = [
        Mark(
            value=math.log(point.ratio),
            low=_log(point.low),
            high=_log(point.high),
            link=links.record(point.record.digest),
            title=_title(point),
            day=day(point.record),
        )
        for point in trend.points[first:after]
    ]
    levels = [
        Level(stretch.first - first, stretch.after - first, stretch.mean, stretch.low, stretch.high)
        for stretch in trend.segments.stretches
        if stretch.first < after and stretch.after > first
    ]
    steps = [
        Step(change.index - first, notation.change_parts(ratio_of(change))[0]) for change in trend.segments.changes
    ]
    return draw(marks, levels, steps)


def _log(ratio: float | None) -> float | None:
    return math.log(ratio) if ratio is not None and 0 < ratio < math.inf else None


def _title(point: Point) -> str:
    labels = " ".join(f"{name}={value}" for name, value in point.record.labels.items())
    return " · ".join(filter(None, [f"{point.record.started:%Y-%m-%d %H:%M}", share_words(point), labels]))


def _row(points: Sequence[Point], number: int) -> Row:
    point = points[number]
    figure, its_range = share_parts(point)
    changes = changed_between(points[number - 1].record, point.record) if number else []
    return Row(
        record=point.record,
        figure=figure,
        range=its_range,
        value=value_words(point.value, point.unit),
        baseline_value=value_words(point.baseline_value, point.unit),
        changed=[words(change) for change in changes],
    )


def _change(trend: Trend, change: Change) -> FoundChange:
    before, after = trend.around(change)
    return FoundChange(
        size=notation.change(ratio_of(change)),
        says=direction(trend.series.figure, change.size),
        before=before,
        after=after,
        changed=[words(difference) for difference in changed_between(before, after)],
        compare=links.compare(before.digest, after.digest),
    )


def _stretch(trend: Trend, stretch: Stretch) -> FoundStretch:
    return FoundStretch(
        first=trend.points[stretch.first].record,
        last=trend.points[stretch.after - 1].record,
        records=stretch.records,
        share=notation.share(share_of(stretch)),
    )
