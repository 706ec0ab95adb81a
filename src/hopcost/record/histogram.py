"""Histograms of nanoseconds as the engine writes them: decode, merge over blocks, take quantiles and the mean.

hdrh decodes them. numpy counts: hdrh walks the buckets one by one in Python, which takes seconds for a record.
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
HEAD_BYTES = 8  # a cookie and the length of the compressed bytes behind them
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
        """The mean, each value taken as the middle of its bucket; 0 if it holds none."""
        total = self.total
        # Not `@`: BLAS starts its threads for it, which takes a hundred times as long.
        return float((self.counts * _buckets().middle_ns).sum()) / total if total else 0.0


class _Buckets:
    """The values that each index of the counts stands for."""

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
    """The sum of histograms in V2 compressed base64; UsageError if one is not the engine's."""
    total = np.zeros(len(_buckets().highest_ns), dtype=np.int64)
    for text in encoded:
        try:
            decoded = HdrHistogram.decode(text)
        except Exception as error:  # hdrh raises many kinds for a text that was edited
            raise UsageError("a histogram of the record cannot be read", CHANGED) from error
        counts = np.frombuffer(decoded.encoder.payload.counts, dtype=np.int64)  # no count comes near 2^63
        if len(counts) != len(total) or decoded.unit_magnitude != 0:
            raise UsageError("a histogram of the record has another range or resolution than the engine's", CHANGED)
        total += counts
    return Histogram(total)


def add_up(encoded: Sequence[str]) -> str:
    """The sum of the engine's histograms, at least one, encoded as they are."""
    first, *others = encoded
    sum_of_all = HdrHistogram.decode(first)
    for text in others:
        sum_of_all.decode_and_add(text)
    return str(sum_of_all.encode().decode())


def is_whole(text: str) -> bool:
    """Whether the compressed bytes are unbroken, by their checksum. Decoding takes ten times as long."""
    try:
        zlib.decompress(base64.b64decode(text, validate=True)[HEAD_BYTES:])
    except (binascii.Error, zlib.error, ValueError):
        return False
    return True


def quantiles(answered: Histogram, unanswered: Histogram, wanted: Iterable[float]) -> list[tuple[int, bool] | None]:
    """For each quantile (ns, whether that is exact); None if there are no requests.

    A request still unanswered takes at least its age. A quantile among them is not exact: it is greater than the ns.
    The rank is ceil(q × n) and the value the highest of its bucket's range, as in HdrHistogram.
    """
    highest_ns = _buckets().highest_ns
    all_counts = answered.counts + unanswered.counts
    filled = np.flatnonzero(all_counts)  # a few hundred of 34,000 buckets
    of_answers, of_all = np.cumsum(answered.counts[filled]), np.cumsum(all_counts[filled])
    answers, total = answered.total, int(of_all[-1]) if len(filled) else 0
    ranks = [max(1, math.ceil(q * total)) for q in wanted]
    return [
        (int(highest_ns[filled[np.searchsorted(of_answers if rank <= answers else of_all, rank)]]), rank <= answers)
        if total
        else None
        for rank in ranks
    ]


def quantile(times: Histogram, q: float) -> int | None:
    """One quantile in ns of requests that were all answered; None if there are none."""
    (value,) = quantiles(times, merge([]), [q])
    return None if value is None else value[0]


def count_above(times: Histogram, ns: int) -> int:
    """How many values are above so many ns, in the resolution of the buckets: a bucket counts by its highest value."""
    return int(times.counts[_buckets().highest_ns > ns].sum())
