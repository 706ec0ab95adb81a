"""Histograms merged and asked for quantiles, against hdrh itself and against sorted lists."""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from hopcost.errors import UsageError
from hopcost.record.histogram import FIGURES, HIGHEST_NS, LOWEST_NS, Histogram, merge, quantile, quantiles

WANTED = (0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0)


def theirs(values: list[int]) -> HdrHistogram:
    filled = HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)
    for value in values:
        assert filled.record_value(value)
    return filled


def encoded(values: list[int]) -> str:
    encoded: bytes = theirs(values).encode()
    return encoded.decode()


def histogram(values: list[int]) -> Histogram:
    return merge([encoded(values)])


def lognormal(count: int, seed: int) -> list[int]:
    source = random.Random(seed)
    return [1 + int(source.lognormvariate(13, 1.5)) for _ in range(count)]


def at_rank(values: list[int], q: float) -> int:
    return sorted(values)[max(1, math.ceil(q * len(values))) - 1]


def same_within_three_figures(value_ns: int, exact: int) -> bool:
    """A bucket is reported at its upper end: never below the value, at most 1 in 1000 above."""
    return exact <= value_ns <= exact * 1.001 + 1


def test_quantiles_are_those_of_the_sorted_list() -> None:
    values = lognormal(5000, seed=1)
    times_ns = quantiles(histogram(values), histogram([]), WANTED)
    assert [quantile is not None and quantile[1] for quantile in times_ns] == [True] * len(WANTED)
    pairs = [(quantile[0], at_rank(values, q)) for quantile, q in zip(times_ns, WANTED, strict=True) if quantile]
    assert all(same_within_three_figures(*pair) for pair in pairs), pairs
    assert len({value for value, _ in pairs}) == len(WANTED)


def test_quantiles_are_those_of_hdrh() -> None:
    values = lognormal(1000, seed=2)
    times_ns = quantiles(histogram(values), histogram([]), (0.01, 0.5, 0.9, 0.99, 1.0))
    expected = [theirs(values).get_value_at_percentile(percentile) for percentile in (1, 50, 90, 99, 100)]
    assert times_ns == [(value, True) for value in expected]
    assert quantile(histogram(values), 0.9) == expected[2]


def test_total_mean_and_recorded_values_are_those_of_hdrh() -> None:
    values = [LOWEST_NS, 2047, 2048, 2049, HIGHEST_NS, *lognormal(500, seed=3)]
    ours, hdrh = histogram(values), theirs(values)
    assert ours.total == hdrh.get_total_count() == 505
    assert math.isclose(ours.mean_ns, hdrh.get_mean_value(), rel_tol=1e-12)
    walked = [(int(bucket.value_iterated_to), int(bucket.count_added_in_this_iter_step)) for bucket in _copies(hdrh)]
    ranks = itertools.accumulate(count for _, count in walked)
    assert quantiles(ours, merge([]), [rank / 505 for rank in ranks]) == [(value, True) for value, _ in walked]


def _copies(filled: HdrHistogram) -> Iterator[Any]:  # it hands out the same object each time
    return (copy.copy(bucket) for bucket in filled.get_recorded_iterator())


def test_a_histogram_of_another_resolution_is_refused() -> None:
    with pytest.raises(UsageError, match="another range or resolution"):
        merge([HdrHistogram(1, 1000, 2).encode().decode()])
    with pytest.raises(UsageError, match="cannot be read"):
        merge(["HISTF"])


@settings(max_examples=20)  # hdrh walks all buckets in Python
@given(st.lists(st.integers(LOWEST_NS, HIGHEST_NS), min_size=1, max_size=60), st.sampled_from(WANTED))
def test_any_values_agree_with_the_sorted_list(values: list[int], q: float) -> None:
    (time_ns,) = quantiles(histogram(values), histogram([]), [q])
    assert time_ns is not None and time_ns[1]
    assert same_within_three_figures(time_ns[0], at_rank(values, q))


def test_merging_is_recording_everything_in_one() -> None:
    parts = [lognormal(300, seed) for seed in range(5)]
    together = histogram([value for part in parts for value in part])
    merged = merge(encoded(part) for part in parts)
    assert merged.total == 1500
    assert quantiles(merged, histogram([]), WANTED) == quantiles(together, histogram([]), WANTED)


def test_the_order_of_merging_does_not_matter() -> None:
    texts = [encoded(lognormal(50, seed)) for seed in range(6)]
    assert (merge(texts).counts == merge(reversed(texts)).counts).all()


def test_a_thousand_histograms_keep_every_count() -> None:
    parts = [lognormal(20, seed) for seed in range(1000)]
    merged = merge(encoded(part) for part in parts)
    everything = [value for part in parts for value in part]
    assert merged.total == 20_000
    for time_ns, q in zip(quantiles(merged, histogram([]), WANTED), WANTED, strict=True):
        assert time_ns is not None and same_within_three_figures(time_ns[0], at_rank(everything, q))


def test_counts_above_one_per_value_count() -> None:
    slow_tail = histogram([1000] * 98 + [5000] * 2)
    assert quantiles(slow_tail, histogram([]), (0.5, 0.98, 0.99)) == [(1000, True), (1000, True), (5003, True)]


def test_nothing_merged_has_no_quantiles() -> None:
    assert merge([]).total == 0
    assert merge([encoded([])]).total == 0
    assert quantiles(merge([]), merge([]), (0.5, 0.99)) == [None, None]


def test_a_quantile_in_the_unanswered_tail_is_at_least() -> None:
    answers, unanswered = histogram([100] * 95), histogram([2000] * 5)
    assert quantiles(answers, unanswered, (0.5, 0.95, 0.96, 0.99)) == [
        (100, True),
        (100, True),
        (2000, False),
        (2000, False),
    ]


def test_young_unanswered_requests_push_quantiles_up_and_never_down() -> None:
    """99 answers of 100 to 1089 ns and 20 that have waited 50 ns: they may take for ever, so p50 counts them on top."""
    answers = [100 + 10 * number for number in range(99)]
    ((alone, _), (loaded, exact)) = (
        quantiles(histogram(answers), histogram(unanswered), [0.5])[0] or (0, False) for unanswered in ([], [50] * 20)
    )
    assert exact
    assert alone == at_rank(answers, 0.5) == 590
    assert loaded == sorted(answers)[math.ceil(0.5 * 119) - 1] == 690


def test_only_unanswered_requests_are_all_at_least() -> None:
    assert quantiles(histogram([]), histogram([300, 400]), (0.5, 1.0)) == [(300, False), (400, False)]


@pytest.mark.parametrize("value", [LOWEST_NS, HIGHEST_NS])
def test_the_ends_of_the_range_are_kept(value: int) -> None:
    (time_ns,) = quantiles(merge([encoded([value])]), histogram([]), [1.0])
    assert time_ns is not None and same_within_three_figures(time_ns[0], value)
