"""An arm's history on the page: which series, which records, which changes."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pytest
from histories.listed import CONFIGURATION, MACHINE, Listed, kept_point, kept_record, stepped

from hopcost.errors import UsageError
from hopcost.history.points import Point
from hopcost.page.asked import BadAddress, Query, read_query
from hopcost.page.chart import Chart
from hopcost.page.views.trend import SHOWN, FoundChange, Row, save_trend, show_trend

ARM: dict[str, list[str]] = {"suite": ["made-up"], "experiment": ["cost"], "arm": ["behind"]}
KEY = f"{MACHINE}.5.{CONFIGURATION}"


def shown(kept: Listed, **more: str) -> dict[str, Any]:
    query: Query = {**ARM, **{name: [value] for name, value in more.items()}}
    page = show_trend(kept, query)
    assert (page.template, page.status) == ("trend.html.j2", 200)
    return dict(page.content)


def followed(kept: Listed, address: str) -> dict[str, Any]:
    """What the address of a link shows."""
    page = show_trend(kept, read_query(address.partition("?")[2].encode("ascii")))
    return dict(page.content)


def chart_of(content: dict[str, Any]) -> Chart:
    chart = content["chart"]
    assert isinstance(chart, Chart)
    return chart


def test_a_step_is_told_with_its_size_the_records_around_it_and_what_changed() -> None:
    kept = stepped(40, 0.8)
    content = shown(kept)
    (change,) = content["changes"]
    assert isinstance(change, FoundChange)
    assert change.size.startswith("−20")
    assert (change.before.started, change.after.started) == tuple(
        kept.points_kept[number].record.started for number in (19, 20)
    )
    assert change.says == "is slower"
    assert change.changed == ["nginx 1.22.1 → 1.24.0"]
    assert change.compare == f"/compare?a={change.before.digest}&b={change.after.digest}"
    assert "slower since 2026-01-21" in content["sentence"]
    assert [stretch.records for stretch in content["stretches"]] == [20, 20]


def test_the_chart_has_a_link_for_each_record_and_stretches_and_the_change() -> None:
    kept = stepped(40, 0.8)
    chart = chart_of(shown(kept))
    assert [point.link for point in chart.points] == [f"/records/{point.record.digest}" for point in kept.points_kept]
    assert chart.points[0].title.startswith("2026-01-01 04:00 · 50 % (49–51)")
    assert [(band.x, band.width) for band in chart.bands] == [(0, 50), (50, 50)]
    (change,) = chart.changes
    assert change.x == 50 and change.words.startswith("−20")


def test_the_table_has_the_newest_first_and_names_what_is_new() -> None:
    rows: list[Row] = shown(stepped(40))["rows"]
    assert len(rows) == 40
    assert rows[0].record.started > rows[-1].record.started
    assert {number: row.changed for number, row in enumerate(rows) if row.changed} == {19: ["nginx 1.22.1 → 1.24.0"]}
    assert (rows[-1].figure, rows[-1].value, rows[-1].baseline_value) == ("50 %", "4,960 req/s", "10,000 req/s")


def test_a_steady_history_has_no_change() -> None:
    content = shown(stepped(40, 1.0))
    assert content["changes"] == [] and len(content["stretches"]) == 1
    assert chart_of(content).changes == []


def test_a_long_history_is_shown_part_by_part_and_every_record_once() -> None:
    kept = stepped(2 * SHOWN + 10)
    content = shown(kept)
    seen = [row.record.digest for row in content["rows"]]
    assert content["newer"] is None and len(seen) == SHOWN
    while content["older"] is not None:
        content = followed(kept, content["older"])
        seen += [row.record.digest for row in content["rows"]]
        assert len(chart_of(content).points) == len(content["rows"])
        assert len(content["changes"]) == 1, "changes are those of the whole history"
    assert seen == [point.record.digest for point in reversed(kept.points_kept)]
    assert content["newer"] is not None
    assert len(followed(kept, content["newer"])["rows"]) == SHOWN


def mixed() -> Listed:
    """Two machines and two configurations: three series, of one record or two."""
    points: list[Point] = []
    for number, (machine, configuration) in enumerate([("aa", "cd"), ("bb", "cd"), ("aa", "ef"), ("bb", "cd")]):
        record = kept_record(number, machine=machine * 32, host=machine)
        points.append(kept_point(record, configuration=configuration * 32))
    return Listed(points)


def test_machines_and_configurations_are_never_mixed() -> None:
    kept = mixed()
    content = shown(kept)
    assert content["count"] == 2, "those of the machine with the newest record"
    choices = content["all_series"]
    assert len(choices) == 3
    assert [choice.is_current for choice in choices] == [True, False, False]
    counts = [followed(kept, choice.link)["count"] for choice in choices]
    assert counts == [2, 1, 1]
    assert len({choice.words for choice in choices}) == 3


def test_labels_and_a_day_narrow_it() -> None:
    points = [kept_point(kept_record(day, labels={"branch": "main" if day % 2 else "slow"})) for day in range(10)]
    kept = Listed(points)
    assert shown(kept, label="branch=main")["count"] == 5
    narrowed = shown(kept, label="branch=main", since="2026-01-05")
    assert narrowed["count"] == 3
    assert "since=2026-01-05" in narrowed["csv"] and "label=branch%3Dmain" in narrowed["csv"]


def test_figures_may_be_called_by_short_names_and_are_linked() -> None:
    record = kept_record(0)
    figures = ("throughput", "cpu_per_request", "response_p50@0.25")
    kept = Listed([kept_point(record, figure=figure) for figure in figures])
    content = shown(kept, figure="cpu")
    assert content["figure"] == "CPU per request"
    assert {choice.words: choice.is_current for choice in content["figures"]} == {
        "CPU per request": True,
        "response time p50 at 25 % load": False,
        "throughput": False,
    }
    for choice in content["figures"]:
        assert followed(kept, choice.link)["figure"] == choice.words


def test_the_csv_has_every_record_of_the_series() -> None:
    kept = stepped(SHOWN + 30)
    saved = save_trend(kept, {**ARM, "older": ["5"]})
    header, *rows = csv.reader(io.StringIO(saved.text))
    assert len(rows) == SHOWN + 30
    ratios = [float(row[header.index("ratio")]) for row in rows]
    assert ratios == [point.ratio for point in kept.points_kept]
    assert saved.file_name == "made-up-cost-behind-throughput.csv"


def test_points_without_a_logarithm_are_left_out() -> None:
    odd = [kept_point(kept_record(day), ratio) for day, ratio in enumerate([0.5, 0.0, math.inf, math.nan, -1.0, 0.5])]
    assert shown(Listed(odd))["count"] == 2
    with pytest.raises(UsageError, match="fits"):
        shown(Listed(odd[1:5]))


def test_one_record_is_a_history() -> None:
    content = shown(Listed([kept_point(kept_record(0), error=None)]))
    assert (content["count"], content["changes"]) == (1, [])
    assert len(chart_of(content).points) == 1
    assert content["asked"].series == KEY


def test_without_an_arm_all_are_listed() -> None:
    record = kept_record(0)
    kept = Listed([kept_point(record, arm="b"), kept_point(record, arm="a"), kept_point(record, experiment="other")])
    page = show_trend(kept, {})
    assert page.template == "histories.html.j2"
    address = "/history?suite=made-up&experiment=cost&arm="
    assert page.content["suites"] == {
        "made-up": {
            "cost": [("a", f"{address}a"), ("b", f"{address}b")],
            "other": [("behind", "/history?suite=made-up&experiment=other&arm=behind")],
        }
    }


@pytest.mark.parametrize("name", ["suite", "experiment", "arm"])
def test_half_a_name_is_refused(name: str) -> None:
    with pytest.raises(BadAddress, match=f"{name}: expected a name"):
        show_trend(stepped(), {other: words for other, words in ARM.items() if other != name})
