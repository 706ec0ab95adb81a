"""Histograms of nanoseconds as the engine writes them: merged over blocks, and quantiles out of them.

hdrh decodes them; counting is numpy's, since hdrh walks the buckets one by one in Python, seconds for a record.
"""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from hopcost.errors import UsageError

LOWEST_NS, HIGHEST_NS, FIGURES = 1, 3_600_000_000_000, 3
HEAD_BYTES = 8  # before what is compressed: a cookie, and how long that is
CHANGED = "it was changed after the run"


class Histogram:
    """Counts by bucket, in the engine's resolution."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.counts = counts

    @property
    def total(self) -> int:
        """How many values it holds."""
        return int(self.counts.sum())

    @property
    def mean_ns(self) -> float:
        """The mean, each value taken as the middle of its bucket; 0 where there is none."""
        buckets, total = _buckets(), self.total
        return float(self.counts @ buckets.middle_ns) / total if total else 0.0

    def recorded(self) -> tuple[list[int], list[int]]:
        """Values in ns (the highest of their bucket's range, as HdrHistogram reports them) and counts, ascending."""
        found = np.flatnonzero(self.counts)
        values: list[int] = _buckets().highest_ns[found].tolist()
        counts: list[int] = self.counts[found].tolist()
        return values, counts


class _Buckets:
    """What each place in the counts stands for."""

    def __init__(self) -> None:
        shape = HdrHistogram(LOWEST_NS, HIGHEST_NS, FIGURES)
        half, places = shape.sub_bucket_half_count, np.arange(shape.counts_len, dtype=np.int64)
        bucket = np.maximum(places // half - 1, 0)
        lowest = np.where(places < half, places, places % half + half) << bucket
        self.highest_ns = lowest + (1 << bucket) - 1
        self.middle_ns = (lowest + ((1 << bucket) >> 1)).astype(float)


@cache
def _buckets() -> _Buckets:
    return _Buckets()


def merge(encoded: Iterable[str]) -> Histogram:
    """The sum of histograms in V2 compressed base64; UsageError for what is none of the engine's."""
    total = np.zeros(len(_buckets().highest_ns), dtype=np.int64)
    for text in encoded:
        try:
            decoded = HdrHistogram.decode(text)
        except Exception as error:  # the library has no kind of its own for what a hand may write
            raise UsageError("a histogram of the record cannot be read", CHANGED) from error
        counts = np.frombuffer(decoded.encoder.payload.counts, dtype=np.uint64)
        if len(counts) != len(total) or decoded.unit_magnitude != 0:
            raise UsageError("a histogram of the record has another range or resolution than the engine's", CHANGED)
        total += counts.astype(np.int64)
    return Histogram(total)


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


def quantile(times: Histogram, q: float) -> int | None:
    """One quantile in ns where everything was answered; None where there is nothing."""
    (found,) = quantiles(times, merge([]), [q])
    return None if found is None else found[0]


def quantile_bounds(
    values_ns: Sequence[int], counts: Sequence[int], ages_ns: Sequence[int], age_counts: Sequence[int], q: float
) -> tuple[int, int | None] | None:
    """The q-quantile over answers (value, count; ascending) and requests still unanswered (age, count; ascending).

    An unanswered request will take at least its age: the lower bound takes it at its age, the upper as endless. Returns
    (lower, upper) in ns, upper None where the quantile lies inside the unanswered tail; None when there is nothing.
    The rank is ceil(q × n), as HdrHistogram has it.
    """
    merged = sorted([*zip(values_ns, counts, strict=True), *zip(ages_ns, age_counts, strict=True)])
    total = sum(count for _, count in merged)
    if total == 0:
        return None
    rank = max(1, math.ceil(q * total))
    lower = _at_rank(merged, rank)
    upper = _at_rank(list(zip(values_ns, counts, strict=True)), rank)
    assert lower is not None, "the rank is within the total"
    return lower, upper


def _at_rank(pairs: Sequence[tuple[int, int]], rank: int) -> int | None:
    seen = 0
    for value, count in pairs:
        seen += count
        if seen >= rank:
            return value
    return None
