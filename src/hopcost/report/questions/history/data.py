"""A history as JSON: every trend with its stretches, its changes and its points. Shares are fractions, times UTC."""

from __future__ import annotations

from hopcost.report.questions.history.answer import HistoryAnswer, Trend, ratio_of, share_of
from hopcost.report.questions.history.changed import changed_between
from hopcost.statistics.change_points import Change, Stretch


def data(answer: HistoryAnswer) -> dict[str, object]:
    """The trend with the newest record comes first; `ratio` is to the baseline, of a change it is after ÷ before."""
    return {
        "arm": answer.name,
        "figure": answer.figure,
        "trends": [_trend(trend) for trend in answer.trends],
    }


def _trend(trend: Trend) -> dict[str, object]:
    series = trend.series
    return {
        "machine": series.machine,
        "host": trend.newest.host,
        "method": series.method,
        "configuration": series.configuration,
        "baseline": trend.points[-1].baseline,
        "spread_between_records": trend.segments.spread,
        "stretches": [_stretch(trend, stretch) for stretch in trend.segments.stretches],
        "changes": [_change(trend, change) for change in trend.segments.changes],
        "points": [
            {
                "record": point.record.digest,
                "path": point.record.path,
                "started": point.record.started,
                "labels": point.record.labels,
                "versions": point.record.versions,
                "cautions": point.record.cautions,
                "ratio": {"value": point.ratio, "low": point.low, "high": point.high},
                "starts": point.starts,
                "value": point.value,
                "baseline_value": point.baseline_value,
                "unit": point.unit,
            }
            for point in trend.points
        ],
    }


def _stretch(trend: Trend, stretch: Stretch) -> dict[str, object]:
    return {
        "first": trend.points[stretch.first].record.digest,
        "last": trend.points[stretch.after - 1].record.digest,
        "records": stretch.records,
        "ratio": share_of(stretch),
    }


def _change(trend: Trend, change: Change) -> dict[str, object]:
    before, after = trend.around(change)
    return {
        "before": before.digest,
        "after": after.digest,
        "ratio": ratio_of(change),
        "differences": changed_between(before, after),
    }
