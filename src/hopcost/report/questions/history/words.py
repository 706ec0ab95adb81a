"""The words that all parts of a history share."""

from __future__ import annotations

from hopcost.history.points import KeptRecord, Series
from hopcost.statistics.comparisons import CPU, THROUGHPUT

NAMES = {
    THROUGHPUT: "throughput",
    CPU: "CPU per request",
    "response_p50": "response time p50",
    "response_p99": "response time p99",
}
MORE = {THROUGHPUT: "is faster", CPU: "needs more CPU"}
LESS = {THROUGHPUT: "is slower", CPU: "needs less CPU"}
SHORT_DIGEST = 8  # signs of a digest that people see


def figure_words(figure: str) -> str:
    """A figure by its kept name.

    >>> figure_words("throughput"), figure_words("cpu_per_request:nginx@0.25"), figure_words("response_p50@2000/s")
    ('throughput', 'CPU per request of nginx at 25 % load', 'response time p50 at 2000/s')
    """
    name, _, load = figure.partition("@")
    kind, _, hop = name.partition(":")
    words = NAMES.get(kind, kind) + (f" of {hop}" if hop else "")
    if not load:
        return words
    return f"{words} at {load if load.endswith('/s') else f'{100 * float(load):g} % load'}"


def direction(figure: str, log_size: float) -> str:
    """What an arm does whose figure rose or fell by that much."""
    kind = figure.partition("@")[0].partition(":")[0]
    return MORE.get(kind, "takes longer") if log_size > 0 else LESS.get(kind, "takes less time")


def day(record: KeptRecord) -> str:
    """`2026-11-20`, in UTC."""
    return record.started.strftime("%Y-%m-%d")


def record_words(record: KeptRecord) -> str:
    """`3fa2b1c0 of 2026-11-20 14:02 UTC`."""
    return f"{record.digest[:SHORT_DIGEST]} of {record.started.strftime('%Y-%m-%d %H:%M')} UTC"


def machine_words(series: Series) -> str:
    """`1a2b3c4d (ci-7)`."""
    return f"{series.machine[:SHORT_DIGEST]} ({series.points[-1].record.host})"
