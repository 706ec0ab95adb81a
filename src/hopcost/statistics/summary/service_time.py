"""Service times of an arm under the closed loop: quantiles over blocks."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock


class Quantile(msgspec.Struct, frozen=True):
    """`at_least` is true if the quantile lies among requests that were never answered."""

    ns: int
    at_least: bool


def service_times(parts: Sequence[ArmBlock]) -> dict[str, Quantile | None]:
    """p50 and p99 of the histograms merged over blocks; None without any request."""
    totals = [part.totals for part in parts if part.totals is not None]
    quantiles = histogram.quantiles(
        histogram.merge(arm.service_time for arm in totals),
        histogram.merge(arm.unanswered for arm in totals),
        (0.50, 0.99),
    )
    return {
        name: None if quantile is None else Quantile(ns=quantile[0], at_least=not quantile[1])
        for name, quantile in zip(("p50", "p99"), quantiles, strict=True)
    }
