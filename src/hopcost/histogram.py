"""Histograms of nanoseconds as the engine writes them: merged over blocks, and quantiles out of them."""

from __future__ import annotations

from collections.abc import Iterable

from hdrh.histogram import HdrHistogram

from hopcost.statistics import quantile_bounds

LOWEST_NS, HIGHEST_NS, FIGURES = 1, 3_600_000_000_000, 3


def merge(encoded: Iterable[str]) -> HdrHistogram:
    """The sum of histograms in V2 compressed base64."""
    total = HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)
    for text in encoded:
        total.decode_and_add(text)
    return total


def quantiles(
    service_time: HdrHistogram, unanswered: HdrHistogram, wanted: Iterable[float]
) -> list[tuple[int, bool] | None]:
    """For each quantile (ns, whether that is exact); not exact means "greater than": it lies in the unanswered tail."""
    values, counts = _recorded(service_time)
    ages, age_counts = _recorded(unanswered)
    found: list[tuple[int, bool] | None] = []
    for q in wanted:
        bounds = quantile_bounds(values, counts, ages, age_counts, q)
        found.append(None if bounds is None else (bounds[0] if bounds[1] is None else bounds[1], bounds[1] is not None))
    return found


def _recorded(histogram: HdrHistogram) -> tuple[list[int], list[int]]:
    """Values (the highest of their bucket's range, as HdrHistogram reports them) and counts, ascending."""
    values, counts = [], []
    for item in histogram.get_recorded_iterator():  # it hands out the same object each time
        values.append(int(item.value_iterated_to))
        counts.append(int(item.count_added_in_this_iter_step))
    return values, counts
