"""Series as trends: that with the newest record first, each cut into its stretches."""

from __future__ import annotations

import math

import pytest
from samples.questions.histories import calm, kept, series, slower

from hopcost.report.questions.history.answer import answer_of, logs_of, ratio_of, share_of, trend_of


def test_the_trend_with_the_newest_record_comes_first() -> None:
    older = series([kept(day, host="ci-8", machine="8" * 64) for day in range(3)], [0.5, 0.5, 0.5])
    answer = answer_of([older, calm()])
    assert answer.name == "nginx-go/one-core/nginx" and answer.figure == "throughput"
    assert [trend.newest.host for trend in answer.trends] == ["ci-7", "ci-8"]
    assert answer.shown.series == calm()


def test_a_change_lies_between_two_records() -> None:
    trend = trend_of(slower())
    (change,) = trend.segments.changes
    before, after = trend.around(change)
    assert (before, after) == (slower().points[11].record, slower().points[12].record)
    ratio = ratio_of(change)
    assert ratio.low is not None and ratio.high is not None
    assert ratio.low < 0.92 < ratio.high < 1
    first, last = map(share_of, trend.segments.stretches)
    assert last.value / first.value == pytest.approx(ratio.value)


def test_logarithms_and_standard_errors_go_in() -> None:
    logs, errors = logs_of(calm())
    assert logs[0] == pytest.approx(math.log(0.46)) and errors == [0.01] * 12
