"""`hopcost history` on the page: the answer first, then the stretches, the chart and what changed."""

from __future__ import annotations

import csv
import io
import json

import golden
import msgspec
import pytest
from samples.questions.histories import CALM, calm, kept, series, slower

from hopcost.history.points import Series
from hopcost.report import Format, render
from hopcost.report.formats.text import text
from hopcost.report.questions.history import history_report
from hopcost.report.questions.history.answer import answer_of
from hopcost.report.questions.history.document import sentence


def everything() -> list[Series]:
    """A slower nginx, beside records of another machine, another method and another load."""
    other = [kept(day, machine="8" * 64, host="ci-8") for day in range(4)]
    older = [kept(day - 40, method=2) for day in range(30)]
    return [
        slower(),
        series(other, CALM[:4]),
        series(older, [0.5] * 30),
        series([kept(1), kept(3)], [0.3, 0.31], configuration="beef"),
    ]


def page(series_of_arm: list[Series], format: Format = Format.TEXT) -> str:
    return render(history_report(answer_of(series_of_arm)), format)


@pytest.mark.parametrize(
    ("format", "ending"),
    [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json"), (Format.CSV, "csv")],
)
def test_the_page_to_the_last_byte(format: Format, ending: str) -> None:
    golden.compare(f"questions/history/report.{ending}", page(everything(), format))


def test_in_ascii_to_the_last_byte() -> None:
    document = history_report(answer_of(everything())).document()
    golden.compare("questions/history/ascii.txt", text(document, ascii=True))


def test_no_line_is_wider_than_80_columns() -> None:
    assert max(map(len, page(everything()).splitlines())) <= 80


def test_the_sentence_tells_the_last_change() -> None:
    words = sentence(answer_of([slower()]))
    assert words.startswith("nginx is slower since 2026-09-13: throughput −7.9 % (") and words.endswith("beside go.")
    assert "needs less CPU since" in sentence(answer_of([slower("cpu_per_request")]))
    assert "takes less time since" in sentence(answer_of([slower("response_p50@0.25")]))


def test_the_sentence_tells_that_nothing_changed_or_that_records_are_few() -> None:
    assert sentence(answer_of([calm()])).startswith("No change in 12 records: throughput of nginx is 46")
    few = series([kept(0), kept(1)], [0.4, 0.5])
    assert "Too few records to see a change (2, and 6 are needed)" in sentence(answer_of([few]))


def test_what_changed_is_named_with_the_records_around_it() -> None:
    words = " ".join(page([slower()]).split())
    before, after = slower().points[11].record, slower().points[12].record
    assert "nginx 1.22.1 → 1.24.0" in words
    assert before.digest[:8] in words and after.digest[:8] in words


def test_without_a_difference_that_is_told_too() -> None:
    quiet = slower()
    records = [kept(day) for day in range(17)]
    same = msgspec.structs.replace(
        quiet,
        points=tuple(
            msgspec.structs.replace(point, record=record) for point, record in zip(quiet.points, records, strict=True)
        ),
    )
    assert "nothing else that the records name" in page([same])


def test_cautions_of_the_newest_record_are_told() -> None:
    records = [*(kept(day) for day in range(11)), kept(11, cautions=("2 of 6 starts were disturbed",))]
    assert "! The newest record: 2 of 6 starts were disturbed" in page([series(records, CALM)])


def test_the_data_has_every_trend_and_point() -> None:
    content = json.loads(page(everything(), Format.JSON))
    assert [len(trend["points"]) for trend in content["trends"]] == [17, 4, 2, 30]
    (change,) = content["trends"][0]["changes"]
    assert change["ratio"]["low"] < 0.92 < change["ratio"]["high"]
    assert change["differences"] == [{"key": "nginx", "a": "1.22.1", "b": "1.24.0"}]


def test_the_rows_have_the_change_at_its_first_record_alone() -> None:
    rows = list(csv.DictReader(io.StringIO(page(everything(), Format.CSV))))
    assert len(rows) == 17 + 4 + 2 + 30
    assert [row["started_utc"][:10] for row in rows if row["change"]] == ["2026-09-13"]
    assert [row["stretch"] for row in rows[:17]] == ["1"] * 12 + ["2"] * 5


def test_words_that_a_record_brings_control_no_terminal_and_no_page() -> None:
    hostile = "\x1b[31m<b>|`x`"
    records = [kept(day, host=hostile, cautions=(hostile,)) for day in range(3)]
    shown = page([series(records, [0.4, 0.5, 0.45])])
    assert "\x1b" not in shown
    assert "<b>" not in page([series(records, [0.4, 0.5, 0.45])], Format.MARKDOWN)
