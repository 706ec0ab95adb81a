"""Which charts an experiment has. What bars can show is no chart."""

from __future__ import annotations

from dataclasses import dataclass

from hopcost.plan.turns import Scope
from hopcost.record.contents.run import Record
from hopcost.report import Part, formatting
from hopcost.report.formats.html import capacity, series, vega
from hopcost.report.notes.scope import of_servers
from hopcost.statistics.summary.summary import ExperimentSummary

SWEPT = (  # key of a row, caption, title of the axis, number format of the axis
    ("per_s", "answers per second", "answers/s", ",.3~s"),
    ("ratio", "throughput, of the baseline's", "of the baseline's", "~%"),
    ("errors", "errors ÷ (errors + answers)", "errors", ".2~%"),
    ("published_per_s", "the article's requests/s", "answers/s", ",.3~s"),
)
POINTS_OVER_TIME = 900  # in one part of the page: more would not fit a file of 3 MB or a screen


@dataclass(frozen=True)
class Chart:
    """One picture: `specification` is Vega-Lite."""

    caption: str
    specification: vega.Spec


def of_group(record: Record, group: list[ExperimentSummary]) -> dict[Part, list[Chart]]:
    """The charts of an experiment, or of all points of a sweep, by the details that they belong to."""
    first = group[0]
    over_time = {Part.STARTS: _over_time(record, group)}
    if first.plan.point is not None:
        return {Part.VERDICTS: _sweep(group)} | over_time
    return {
        Part.LOAD: [*_capacities(record, first), *_curves(record, first)],
        Part.PUBLISHED: _published(first),
    } | over_time


def _capacities(record: Record, experiment: ExperimentSummary) -> list[Chart]:
    known = capacity.curve(record, experiment)
    return [] if known is None else [Chart(*known)]


def _curves(record: Record, experiment: ExperimentSummary) -> list[Chart]:
    blocks = record.blocks_of(experiment.plan.name)
    loads = dict.fromkeys((load.share, load.rate_per_s) for arm in experiment.arms for load in arm.open_loop)
    charts = []
    for share, rate_per_s in loads:
        rows = series.curves(experiment, blocks, share)
        if rows:
            caption = f"at {formatting.number(rate_per_s)} requests/s, {share:.0%} of what the slowest stack can do"
            charts.append(Chart(caption, vega.curves(rows, "share of requests answered by then")))
    return charts


def _published(experiment: ExperimentSummary) -> list[Chart]:
    rows = series.published(experiment)
    return [Chart(f"the article: {experiment.plan.published_conditions}", vega.published(rows))] if rows else []


def _sweep(group: list[ExperimentSummary]) -> list[Chart]:
    rows = series.sweep(group)
    key = formatting.swept_key(group[0])
    return [
        Chart(caption, vega.sweep(rows, key, figure, title, format))
        for figure, caption, title, format in SWEPT
        if any(row.get(figure) for row in rows)
    ]


def _over_time(record: Record, group: list[ExperimentSummary]) -> list[Chart]:
    charts = []
    for experiment in group:
        rows, spans = series.slices(record.blocks_of(experiment.plan.name), max(120, POINTS_OVER_TIME // len(group)))
        if rows:
            void, disturbed = (sum(span["label"] == word for span in spans) for word in ("void", "disturbed"))
            caption = f"{formatting.count(len(spans), 'start')}, {void} of them void, {disturbed} disturbed"
            caption = of_servers(caption) if experiment.plan.scope is Scope.PROCESSES else caption
            caption = f"{at}: {caption}" if (at := series.at(experiment)) else caption
            charts.append(Chart(caption, vega.slices(rows, spans)))
    return charts
