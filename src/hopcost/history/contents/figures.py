"""The names and units of the figures that are kept, and what people may call them."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.errors import UsageError, nearest
from hopcost.plan.plan import PlannedExperiment
from hopcost.statistics.comparisons import CPU, THROUGHPUT, Metric

AT = "@"
PER_SECOND = "/s"
RESPONSE = "response_"
SHORT = {"cpu": CPU, "p50": f"{RESPONSE}p50", "p99": f"{RESPONSE}p99"}


def name_of(metric: Metric, planned: PlannedExperiment, rate_per_s: float | None) -> str:
    """`throughput` at saturation; `cpu_per_request@0.25` at that share of the slowest arm's throughput.

    A rate that somebody named is the same in each record, and its share is not: then it is `cpu_per_request@2000/s`.
    """
    if metric.share is None:
        return metric.name
    if planned.open_loop_rates and rate_per_s is not None:
        return f"{metric.name}{AT}{rate_per_s:.12g}{PER_SECOND}"
    return f"{metric.name}{AT}{metric.share:.12g}"


def unit_of(name: str) -> str:
    """Of the absolute figure behind a ratio."""
    return "requests/s" if name.partition(AT)[0] == THROUGHPUT else "ns"


def choose(word: str, known: Sequence[str]) -> str:
    """The figure that a person means: its name, or `cpu`, `p50`, `p99`; at a load, if saturation does not have it.

    UsageError with the nearest one, if the history does not have it.

    >>> choose("cpu", ["throughput", "cpu_per_request", "cpu_per_request@0.25"])
    'cpu_per_request'
    >>> choose("p50", ["throughput", "response_p50@0.25"])
    'response_p50@0.25'
    """
    name, at, load = word.partition(AT)
    name = SHORT.get(name, name)
    candidates = [figure for figure in known if figure == f"{name}{at}{load}"]
    if not at:
        candidates += [figure for figure in known if figure.partition(AT)[0] == name]
    if candidates:
        return candidates[0]
    raise UsageError(f"the history has no figure '{word}' of it", nearest(word, [*known, *SHORT]))
