"""Drift over a soak, against slopes worked by hand."""

from __future__ import annotations

import math

import pytest
from known import known

from hopcost.statistics.summary.soak import Course, Drift, drift, parts


def test_a_figure_that_never_moves_has_no_drift() -> None:
    trend = known(drift([0, 60, 120, 180], [5, 5, 5, 5]))
    assert (trend.over_run, trend.low, trend.high, trend.is_seen) == (1, 1, 1, False)


def test_a_figure_that_doubles_in_an_hour_drifts_exactly() -> None:
    trend = known(drift([0, 1200, 2400, 3600], [2 ** (number / 3) for number in range(4)]))
    assert (trend.over_run, trend.per_hour) == (pytest.approx(2), pytest.approx(2))
    assert trend.low == pytest.approx(2) and trend.is_seen


def test_the_interval_of_a_slope() -> None:
    # Logs 0, 1, 1, 2 at 0, 1, 2, 3 h: slope Σ(t − 1.5)(y − 1) ÷ Σ(t − 1.5)² = 3 ÷ 5 = 0.6 per hour.
    # Residuals −0.1, 0.3, −0.3, 0.1: their squares 0.2; variance 0.2 ÷ 2 = 0.1; error √(0.1 ÷ 5) = 0.141421;
    # t(2, 0.975) = 4.302653: reach 0.608487. Slope −0.008487 to 1.208487: just no drift seen.
    trend = known(drift([0, 3600, 7200, 10800], [math.exp(number) for number in (0, 1, 1, 2)]))
    assert math.log(trend.per_hour) == pytest.approx(0.6)
    assert math.log(trend.per_hour_low) == pytest.approx(-0.008487, abs=1e-5)
    assert math.log(trend.per_hour_high) == pytest.approx(1.208487, abs=1e-5)
    assert math.log(trend.low) == pytest.approx(-0.025460, abs=1e-5)  # three hours of it
    assert not trend.is_seen
    assert known(
        drift([0, 3600, 7200, 10800], [math.exp(number) for number in (0, 1, 1, 2)], error=0.1)
    ).is_seen  # t = 2.92


@pytest.mark.parametrize(
    ("times", "values"), [([0, 1, 2], [1, 2, 3]), ([0, 1, 2, 3], [1, 0, 1, 1]), ([7, 7, 7, 7], [1, 2, 3, 4]), ([], [])]
)
def test_what_gives_no_slope_is_unknown(times: list[int], values: list[int]) -> None:
    assert drift(times, values) is None
    course = Course(figure="ratio", arm="behind", first=None, last=None, parts=len(values), drift=drift(times, values))
    assert course.word == ("not settled" if values else "not measured")
    assert course.length_to_settle_s is None


def test_words() -> None:
    def word(values: list[float]) -> str:
        course = Course(figure="ratio", arm="x", first=1, last=1, parts=4, drift=drift([0, 1, 2, 3], values))
        return course.word

    assert word([1, 1.1, 1.21, 1.331]) == "drifts"
    assert word([1, 1.1, 1, 1.1]) == "not settled"
    assert word([1, 1.001, 1.002, 1.003]) == "drifts, negligible"
    assert word([15e6, 15e6 + 1e-4, 15e6, 15e6 + 2e-4]) == "same", "rounding is no drift"
    assert word([15e6, 15e6, 15e6, 15e6]) == "same"


def test_the_length_that_would_settle_a_drift() -> None:
    """The range of the change narrows with the root of the length; ±1 % around nothing at all is `same`."""
    trend = Drift(
        over_run=1.0, low=math.exp(-0.04), high=math.exp(0.04), per_hour=1.0, per_hour_low=1.0, per_hour_high=1.0,
        length_s=100.0, standard_error=0.02,
    )  # fmt: skip
    course = Course(figure="ratio", arm="x", first=1, last=1, parts=12, drift=trend)
    assert course.word == "not settled"
    assert course.length_to_settle_s == pytest.approx(100 * (0.04 / math.log(1.02)) ** 2)


def test_segments_become_twelve_parts_at_most() -> None:
    whole = parts([(float(number), 2.0) for number in range(24)])
    assert whole == [(2 * number + 0.5, 2.0) for number in range(12)]
    assert len(parts([(0.0, 1.0)] * 13)) == 7, "parts of two and a rest"
    assert parts([(0.0, 1.0), (1.0, 0.0)]) == [], "a figure of 0 has no logarithm"
