"""Vega-Lite specifications of the charts, out of rows. The page sets colours, fonts and the width.

Colour never carries information alone: an arm has its row, its dashes or its shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from hopcost.report.formats.html.series import Row

Spec = dict[str, Any]

STEP = 30  # height of a row in pixels
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 6], [1, 4]]
LABEL_LIMIT = 170
REACH = 4  # an interval is cut off at the outermost ratio times this
PERCENTS = {"2": "50%", "10": "90%", "100": "99%", "1000": "99.9%"}


def published(rows: Sequence[Row]) -> Spec:
    """The article's ratio beside the measured one, on a logarithmic axis."""
    base = chart_of(rows)
    low, high = _reach(rows)
    y = alt.Y("stack:N", sort=None, title=None, axis=alt.Axis(labelLimit=LABEL_LIMIT, domain=False, ticks=False))
    title = "throughput, of the baseline's: ● measured, with its range; ◇ published"
    x = alt.X("ratio:Q", title=title, scale=_logarithmic(low, high), axis=_ticks(low, high, "~%"))
    tooltip = [alt.Tooltip("stack:N"), alt.Tooltip("ratio:Q", format=".1%"), alt.Tooltip("published:Q", format=".0%")]
    line_at_one = chart_of([{"one": 1}]).mark_rule(strokeDash=[4, 3]).encode(x=alt.X("one:Q"))
    layers = [
        line_at_one,
        base.mark_rule(strokeWidth=3, clip=True).encode(x=alt.X("low:Q"), x2="high:Q", y=y, tooltip=tooltip),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=x, y=y, tooltip=tooltip),
        base.mark_point(filled=False, size=140, shape="diamond", strokeWidth=2, style="other").encode(
            x=alt.X("published:Q"), y=y, tooltip=tooltip
        ),
    ]
    return finished(alt.layer(*layers), len(rows), "published ratios beside the measured ones")


def _reach(rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of the axis: all ratios, 1, and intervals up to REACH, with room around them."""
    points = [1.0, *(row["ratio"] for row in rows), *(row["published"] for row in rows)]
    low = min([*points, *(max(row["low"], min(points) / REACH) for row in rows)])
    high = max([*points, *(min(row["high"], max(points) * REACH) for row in rows)])
    room = max(1.15, (high / low) ** 0.12)
    return low / room, high * room


def _logarithmic(low: float, high: float) -> alt.Scale:
    return alt.Scale(type="log", domain=[low, high], nice=False)


def _ticks(low: float, high: float, format: str) -> alt.Axis:
    """Ticks at 1, 2 and 5 times powers of ten; more on a short axis, only powers of ten on a long one."""
    steps = [1.0, 2.0, 5.0] if high / low < 200 else [1.0]
    if high / low < 4:
        steps = [1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0, 8.0, 9.0]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [step * 10.0**power for power in powers for step in steps]
    return alt.Axis(values=[value for value in values if low <= value <= high], format=format, labelOverlap=True)


def curves(rows: Sequence[Row], title: str) -> Spec:
    """Response time by quantile on logarithmic axes; the tail is on the right."""
    arms = list(dict.fromkeys(row["stack"] for row in rows))
    ticks = [float(value) for value in PERCENTS]
    low, high = min(row["us"] for row in rows), max(row["us"] for row in rows)
    names = " : ".join(f"datum.value == {value} ? '{name}'" for value, name in PERCENTS.items())
    chart = (
        chart_of(rows)
        .mark_line(point=False, strokeWidth=2)
        .encode(
            x=alt.X(
                "beyond:Q",
                title=title,
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=ticks, labelExpr=f"{names} : ''"),
            ),
            y=alt.Y(
                "us:Q", title="response time, µs", scale=_logarithmic(low, high * 1.1), axis=_ticks(low, high, ",")
            ),
            color=coloured(arms, line=True),
            strokeDash=dashed(arms),
            tooltip=["stack:N", alt.Tooltip("q:Q", format=".1%"), alt.Tooltip("us:Q", format=",.0f", title="µs")],
        )
    )
    return finished(chart, None, f"response time by quantile, {title}")


def _legend(line: bool = False) -> alt.Legend:
    if line:
        return alt.Legend(orient="top", columns=2, labelLimit=LABEL_LIMIT, symbolType="stroke", symbolSize=300)
    return alt.Legend(orient="top", columns=2, labelLimit=LABEL_LIMIT)


def coloured(arms: Sequence[str], line: bool = False) -> alt.Color:
    """A colour for each arm."""
    return alt.Color("stack:N", title=None, sort=None, scale=alt.Scale(domain=list(arms)), legend=_legend(line))


def _shaped(arms: Sequence[str]) -> alt.Shape:
    return alt.Shape("stack:N", title=None, sort=None, scale=alt.Scale(domain=list(arms)), legend=_legend())


def dashed(arms: Sequence[str]) -> alt.StrokeDash:
    """Dashes with the legend of the colours: a line has both."""
    dashes = [DASHES[number % len(DASHES)] for number in range(len(arms))]
    scale = alt.Scale(domain=list(arms), range=dashes)
    return alt.StrokeDash("stack:N", title=None, sort=None, scale=scale, legend=_legend(line=True))


def slices(rows: Sequence[Row], spans: Sequence[Row]) -> Spec:
    """Slices over time; void and disturbed starts are marked behind them, with the word above."""
    arms = list(dict.fromkeys(row["stack"] for row in rows))
    x = alt.X("t:Q", title="seconds since the first slice")
    marked = [span for span in spans if span["label"]]  # void ones darker
    shade = alt.Opacity("label:O", legend=None, scale=alt.Scale(domain=["disturbed", "void"], range=[0.2, 0.6]))
    span_tooltip = [alt.Tooltip("start:Q"), alt.Tooltip("label:N"), alt.Tooltip("why:N")]
    layers: list[alt.Chart] = []
    if marked:
        data = chart_of(marked)
        layers += [
            data.mark_rect(style="void").encode(x=alt.X("from:Q"), x2="to:Q", opacity=shade, tooltip=span_tooltip),
            data.mark_text(align="left", baseline="top", dx=3, fontSize=11, fontWeight="bold").encode(
                x=alt.X("from:Q"), y=alt.value(2), text="label:N"
            ),
        ]
    layers.append(
        chart_of(rows)
        .mark_point(size=16, opacity=0.8)
        .encode(
            x=x,
            y=alt.Y("per_s:Q", title="answers/s", scale=alt.Scale(zero=True)),
            color=coloured(arms),
            shape=_shaped(arms),
            tooltip=["stack:N", "start:Q", "t:Q", alt.Tooltip("per_s:Q", format=",")],
        )
    )
    return finished(alt.layer(*layers), None, "throughput of the slices over time")


def sweep(rows: Sequence[Row], key: str, figure: str, title: str, format: str) -> Spec:
    """One figure of every arm by the swept value."""
    arms = list(dict.fromkeys(row["stack"] for row in rows))
    base = chart_of([row for row in rows if row.get(figure) is not None]).encode(
        x=alt.X("value:N", title=key, sort=alt.SortField("order"), axis=alt.Axis(labelAngle=0)),
        y=alt.Y(f"{figure}:Q", title=title, axis=alt.Axis(format=format)),
        color=coloured(arms),
        tooltip=["stack:N", "value:N", alt.Tooltip(f"{figure}:Q", format=format)],
    )
    points = base.mark_point(size=50, filled=True).encode(shape=_shaped(arms))
    return finished(alt.layer(base.mark_line().encode(strokeDash=dashed(arms)), points), None, f"{title} by {key}")


def chart_of(rows: Sequence[Row]) -> alt.Chart:
    """A chart of these rows."""
    return alt.Chart(alt.Data(values=list(rows)))  # type: ignore[no-untyped-call] # altair's own gap


def finished(chart: Any, rows: int | None, description: str) -> Spec:
    """As a plain specification, `rows` rows high.

    altair validates each part as it is made. The whole is not validated again, which would take as long: the page's
    tests hold every chart to Vega-Lite's schema.
    """
    height: Any = 260 if rows is None else STEP * rows + 12
    spec: Spec = chart.properties(height=height, description=description).to_dict(validate=False)
    spec.pop("config", None)  # altair's own look: the page has one
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
