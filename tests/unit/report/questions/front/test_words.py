"""Advice in a line."""

from __future__ import annotations

from hopcost.report.questions.front.words import throughput_words
from hopcost.statistics.intervals import Interval


def test_throughput_is_told_in_times_or_in_per_cent_or_not_at_all() -> None:
    assert throughput_words(Interval(value=2.1, low=2.0, high=2.2)) == "2.1 × the throughput"
    assert throughput_words(Interval(value=12.4, low=12.0, high=13.0)) == "12 × the throughput"
    assert throughput_words(Interval(value=0.9, low=0.88, high=0.92)) == "throughput −10.0 % (−12.0 to −8.0)"
    assert throughput_words(Interval(value=1.01, low=0.99, high=1.03)) == ""
    assert throughput_words(Interval(value=1.5, low=None, high=None)) == "" and throughput_words(None) == ""
