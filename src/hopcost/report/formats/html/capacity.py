"""The chart of a search for capacities: response times by offered rate, with the capacity of each stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from hopcost.record.contents.question import Verb
from hopcost.record.contents.run import Record
from hopcost.report.formats.html import vega
from hopcost.report.formats.html.series import Row
from hopcost.report.questions.capacity.curve import shown_quantile
from hopcost.statistics.questions.capacity.question import CapacityQuestion
from hopcost.statistics.questions.capacity.result import Kind, read_capacity
from hopcost.statistics.summary.summary import ExperimentSummary

MEDIAN = "p50"


def is_asked(record: Record) -> bool:
    """Whether the record is of this verb: its chart is shown without a click."""
    return record.question is not None and record.question.verb is Verb.CAPACITY


def curve(record: Record, experiment: ExperimentSummary) -> tuple[str, vega.Spec] | None:
    """Caption and specification; None if the record is of another verb, or nothing was offered."""
    kept = record.question
    if kept is None or not is_asked(record):
        return None
    question = msgspec.json.decode(kept.content, type=CapacityQuestion)
    quantile = shown_quantile(question)
    answer = read_capacity(question, record)
    names = {arm.name for arm in experiment.plan.arms}
    shown = [row for row in answer.rows if row.arm in names]
    rows = [
        {"stack": row.arm, "per_s": point.rate_per_s, "quantile": name, "ms": time_ns / 1e6, "requests": point.requests}
        for row in shown
        for point in row.points
        for name in (MEDIAN, quantile)
        if (time_ns := point.response_time_ns.get(name)) is not None
    ]
    knees = [
        {"stack": row.arm, "per_s": row.per_s.value, "low": row.per_s.low, "high": row.per_s.high}
        for row in shown
        if row.per_s is not None and row.kind is Kind.MEASURED
    ]
    limit_ms = next((limit.time_ns / 1e6 for limit in question.objectives if limit.time_ns is not None), None)
    if not rows:
        return None
    caption = f"response times by offered rate, median (thin) and {quantile}; vertical: the capacity with its range"
    return caption, _specification(rows, knees, limit_ms)


def _specification(rows: Sequence[Row], knees: Sequence[Row], limit_ms: float | None) -> vega.Spec:
    arms = list(dict.fromkeys(row["stack"] for row in rows))
    low, high = min(row["ms"] for row in rows), max(row["ms"] for row in rows)
    x = alt.X("per_s:Q", title="offered requests/s", scale=alt.Scale(zero=True), axis=alt.Axis(format=",.3~s"))
    y = alt.Y(
        "ms:Q",
        title="response time, ms",
        scale=alt.Scale(type="log", domain=[low, high * 1.1], nice=False),
        axis=alt.Axis(format="~g", labelOverlap=True),
    )
    wide = alt.StrokeWidth(
        "quantile:N",
        legend=None,
        scale=alt.Scale(domain=[MEDIAN, *_others(rows)], range=[1.0, *[2.5] * len(_others(rows))]),
    )
    tooltip = ["stack:N", alt.Tooltip("per_s:Q", format=","), "quantile:N", alt.Tooltip("ms:Q", format=",.3~r")]
    lines = (
        vega.chart_of(rows)
        .mark_line(point=True, clip=True)
        .encode(
            x=x,
            y=y,
            color=vega.coloured(arms, line=True),
            strokeDash=vega.dashed(arms),
            strokeWidth=wide,
            tooltip=tooltip,
        )
    )
    layers: list[Any] = [lines]
    if knees:
        base = vega.chart_of(knees)
        told = ["stack:N", *(alt.Tooltip(f"{key}:Q", format=",.4~r") for key in ("per_s", "low", "high"))]
        bounded = vega.chart_of([knee for knee in knees if knee["low"] is not None])
        layers += [
            bounded.mark_rect(opacity=0.15).encode(
                x=alt.X("low:Q"), x2="high:Q", color=vega.coloured(arms, line=True), tooltip=told
            ),
            base.mark_rule(strokeWidth=2).encode(
                x=alt.X("per_s:Q"), color=vega.coloured(arms, line=True), tooltip=told
            ),
        ]
    if limit_ms is not None and low <= limit_ms <= high * 1.1:
        limit = vega.chart_of([{"limit": limit_ms}])
        layers.append(limit.mark_rule(strokeDash=[4, 3]).encode(y=alt.Y("limit:Q")))
    return vega.finished(alt.layer(*layers), None, "response times by offered rate")


def _others(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["quantile"] for row in rows if row["quantile"] != MEDIAN))
