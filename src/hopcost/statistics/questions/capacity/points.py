"""The curve of an arm: response times at each rate that it was offered, over all its starts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.record import histogram
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.statistics.questions.capacity.objectives import Objective
from hopcost.statistics.summary.open_loop import response_times
from hopcost.statistics.validity.accounts import sum_of_slices

ALIKE = 1.03  # rates that differ by less make one point
LEAST_BEYOND, LEAST_OF_MEDIAN = 10, 3  # requests beyond a quantile that is shown; requests with a median
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}


class RatePoint(msgspec.Struct, frozen=True):
    """An offered rate, and what came of it; None for a quantile with few requests beyond it.

    A quantile among requests without an answer is the least that it can be.
    """

    rate_per_s: float
    requests: int
    response_time_ns: dict[str, int | None]
    errors: int
    not_sent: int


def points_of(loads: Sequence[OpenLoad], objectives: Sequence[Objective]) -> list[RatePoint]:
    """The points in the order of their rates; rates that are nearly alike are one, at the mean."""
    wanted = QUANTILES | {
        objective.name: 1 - objective.share for objective in objectives if objective.time_ns is not None
    }
    quantiles = dict(sorted(wanted.items(), key=lambda item: item[1]))
    groups: list[list[OpenLoad]] = []
    for load in sorted(loads, key=lambda load: load.rate_per_s):
        if groups and load.rate_per_s < groups[-1][0].rate_per_s * ALIKE:
            groups[-1].append(load)
        else:
            groups.append([load])
    return [_point(group, quantiles) for group in groups]


def _point(loads: Sequence[OpenLoad], quantiles: dict[str, float]) -> RatePoint:
    answered, waiting = response_times(loads)
    requests = answered.total + waiting.total
    values = histogram.quantiles(answered, waiting, quantiles.values())
    return RatePoint(
        rate_per_s=sum(load.rate_per_s for load in loads) / len(loads),
        requests=sum(sum_of_slices(load, "due") for load in loads),
        response_time_ns={
            name: value[0] if value is not None and _is_known(q, requests) else None
            for (name, q), value in zip(quantiles.items(), values, strict=True)
        },
        errors=sum(sum(piece.errors.values()) for load in loads for piece in load.slices),
        not_sent=sum(sum_of_slices(load, "not_sent") for load in loads),
    )


def _is_known(q: float, requests: int) -> bool:
    return requests >= LEAST_OF_MEDIAN if q <= QUANTILES["p50"] else requests * (1 - q) >= LEAST_BEYOND
