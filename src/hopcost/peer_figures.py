"""What an arm's runs by another load generator say besides answers and errors. A pure fold: quantiles do not merge."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.recorded import PeerRun


class PeerFigures(msgspec.Struct, frozen=True):
    """`latency_ms` has each run's own `mean`, `p50` … `max`; `kept` is None where the tool does not count it.

    `kept` are answers after which the connection was kept, of `answers` correct ones, over all runs.
    """

    latency_ms: dict[str, list[float]]
    answers: int
    kept: int | None


def of(runs: Sequence[PeerRun]) -> PeerFigures | None:
    """None where no other generator ran."""
    if not runs:
        return None
    latency: dict[str, list[float]] = {}
    for run in runs:
        for name, value in run.latency_ms.items():
            latency.setdefault(name, []).append(value)
    kept = [run.kept_alive for run in runs if run.kept_alive is not None]
    return PeerFigures(
        latency_ms=latency,
        answers=sum(run.answers for run in runs),
        kept=sum(kept) if len(kept) == len(runs) else None,
    )
