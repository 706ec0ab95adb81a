"""A history as CSV: a row for each point of each trend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopcost.report import Cell
from hopcost.report.questions.history.answer import HistoryAnswer, Trend, ratio_of, share_of

HEADER = (
    "machine",
    "host",
    "method",
    "configuration",
    "started_utc",
    "record",
    "path",
    "labels",
    "arm",
    "baseline",
    "figure",
    "ratio",
    "low",
    "high",
    "starts",
    "value",
    "baseline_value",
    "unit",
    "stretch",
    "stretch_ratio",
    "stretch_low",
    "stretch_high",
    "change",
    "change_low",
    "change_high",
)


def rows(answer: HistoryAnswer) -> Iterator[Sequence[Cell]]:
    """The header, then all points, oldest first within a trend. `change` is after ÷ before, at the first record of it.

    `ratio` has the interval within its record; that of a stretch or a change holds between records.
    """
    yield HEADER
    for trend in answer.trends:
        yield from _rows(answer, trend)


def _rows(answer: HistoryAnswer, trend: Trend) -> Iterator[Sequence[Cell]]:
    series = trend.series
    changes = {change.index: ratio_of(change) for change in trend.segments.changes}
    for number, stretch in enumerate(trend.segments.stretches):
        share = share_of(stretch)
        for place in range(stretch.first, stretch.after):
            point, change = trend.points[place], changes.get(place)
            record = point.record
            yield (
                series.machine,
                record.host,
                series.method,
                series.configuration,
                record.started.isoformat(),
                record.digest,
                record.path,
                " ".join(f"{name}={value}" for name, value in record.labels.items()),
                answer.name,
                point.baseline,
                answer.figure,
                point.ratio,
                point.low,
                point.high,
                point.starts,
                point.value,
                point.baseline_value,
                point.unit,
                number + 1,
                share.value,
                share.low,
                share.high,
                *((None, None, None) if change is None else (change.value, change.low, change.high)),
            )
