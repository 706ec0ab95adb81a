"""Histograms of nanoseconds as the engine writes them: merged over blocks, and quantiles out of them."""

from __future__ import annotations

import base64
import binascii
import operator
import zlib
from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

from hopcost.errors import UsageError
from hopcost.statistics import quantile_bounds

LOWEST_NS, HIGHEST_NS, FIGURES = 1, 3_600_000_000_000, 3
Integers = npt.NDArray[np.int64]
HEAD_BYTES = 8  # before what is compressed: a cookie, and how long that is


class Histogram(HdrHistogram):  # type: ignore[misc]
    """The library's, which walks all of its 35,000 counts in Python for each figure: a tenth of a second each time.

    These have the same results to the last bit (tests/test_histogram.py), out of the counts that are not 0.
    """

    def recorded(self) -> tuple[list[int], list[int]]:
        """Values (the highest of their bucket's range, as HdrHistogram reports them) and counts, ascending."""
        counts, lowest, size = self._arrays()
        (there,) = counts.nonzero()
        return (lowest[there] + size[there] - 1).tolist(), counts[there].tolist()

    def get_mean_value(self) -> float:
        """Of the middles of the buckets' ranges, in ns; 0 without any value."""
        counts, lowest, size = self._arrays()
        (there,) = counts.nonzero()
        if not len(there):
            return 0.0
        middles, found = (lowest[there] + size[there] // 2).tolist(), counts[there].tolist()
        total: int = sum(map(operator.mul, middles, found))
        return float(total) / int(sum(found))  # Python's: 64 bits would not hold it

    def get_value_at_percentile(self, percentile: float) -> int:
        """The highest value of the bucket that the percentile (above 0, to 100) lies in; 0 without any value."""
        counts, lowest, size = self._arrays()
        index = int(np.searchsorted(np.cumsum(counts), self.get_target_count_at_percentile(percentile)))
        return int(lowest[index] + size[index] - 1) if index < len(counts) else 0

    def _arrays(self) -> tuple[Integers, Integers, Integers]:
        """Of every bucket: its count, its lowest value, and how many values it holds."""
        counts = np.ctypeslib.as_array(self.counts).astype(np.int64)
        return (counts, *_buckets(len(counts), self.sub_bucket_half_count_magnitude, self.unit_magnitude))


@cache
def _buckets(length: int, half_magnitude: int, unit_magnitude: int) -> tuple[Integers, Integers]:
    """Lowest value and number of values of each bucket: 2^half_magnitude of them to each power of two.

    The first two powers' worth have the same width: below them a bucket would be narrower than the unit.
    """
    index = np.arange(length, dtype=np.int64)
    power = np.maximum((index >> half_magnitude) - 1, 0)
    place = index - (power << half_magnitude)
    return place << (power + unit_magnitude), np.int64(1) << (power + unit_magnitude)


def merge(encoded: Iterable[str]) -> Histogram:
    """The sum of histograms in V2 compressed base64; UsageError for what is none."""
    total = Histogram(LOWEST_NS, HIGHEST_NS, FIGURES)
    for text in encoded:
        try:
            total.decode_and_add(text)
        except Exception as error:  # the library has no kind of its own for what a hand may write
            raise UsageError("a histogram of the record cannot be read", "it was changed after the run") from error
    return total


def is_whole(text: str) -> bool:
    """Whether its packing is unbroken, by its own checksum: a tenth of the time that reading it takes."""
    try:
        zlib.decompress(base64.b64decode(text, validate=True)[HEAD_BYTES:])
    except (binascii.Error, zlib.error, ValueError):
        return False
    return True


def quantiles(service_time: Histogram, unanswered: Histogram, wanted: Iterable[float]) -> list[tuple[int, bool] | None]:
    """For each quantile (ns, whether that is exact); not exact means "greater than": it lies in the unanswered tail."""
    values, counts = service_time.recorded()
    ages, age_counts = unanswered.recorded()
    found: list[tuple[int, bool] | None] = []
    for q in wanted:
        bounds = quantile_bounds(values, counts, ages, age_counts, q)
        found.append(None if bounds is None else (bounds[0] if bounds[1] is None else bounds[1], bounds[1] is not None))
    return found
