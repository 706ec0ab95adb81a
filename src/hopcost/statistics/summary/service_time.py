"""Service times of an arm under the closed loop, and what its slow clients and idle connections met, over blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from hopcost.programs.generators.beside import BesideKind, BesideSlice, BesideTotals
from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock
from hopcost.statistics import figures


class Quantile(msgspec.Struct, frozen=True):
    """`at_least` is true if the quantile lies among requests that were never answered."""

    ns: int
    at_least: bool


class BesideFigures(msgspec.Struct, frozen=True):
    """An arm's slow clients or idle connections over all valid blocks.

    Times are sent to last byte of slow clients, and due to last byte of idle connections; errors and `reopened` are of
    whole blocks, warm-up included. `generator_cpu` is the CPU time of their thread as a share of the arm's time.
    """

    kind: BesideKind
    number: int
    answers: int
    answers_per_s: float
    time_ns: dict[str, Quantile | None]
    errors: dict[str, int]
    reopened: int
    generator_cpu: float


def service_times(parts: Sequence[ArmBlock]) -> dict[str, Quantile | None]:
    """p50 and p99 of the histograms merged over blocks; None without any request."""
    totals = [part.totals for part in parts if part.totals is not None]
    return _quantiles((arm.service_time for arm in totals), (arm.unanswered for arm in totals))


def figures_beside(parts: Sequence[ArmBlock]) -> list[BesideFigures]:
    """A kind each, as far as the arm has such connections."""
    return [beside for kind in BesideKind if (beside := _figures_of(parts, kind)) is not None]


def _figures_of(parts: Sequence[ArmBlock], kind: BesideKind) -> BesideFigures | None:
    of_arms: list[BesideTotals] = [
        totals for part in parts if (totals := getattr(part.totals, kind.value, None)) is not None
    ]
    slices: list[BesideSlice] = [
        piece for part in parts for line in part.slices if (piece := getattr(line, kind.value)) is not None
    ]
    elapsed_ns = sum(part.elapsed_ns for part in parts)
    if not of_arms or not elapsed_ns:
        return None
    answers = sum(piece.answers for piece in slices)
    return BesideFigures(
        kind=kind,
        number=of_arms[0].number,
        answers=answers,
        answers_per_s=answers * 1e9 / elapsed_ns,
        time_ns=_quantiles((totals.time for totals in of_arms), (totals.unanswered for totals in of_arms)),
        errors=figures.sum_by_kind([totals.errors for totals in of_arms]),
        reopened=sum(totals.reconnects for totals in of_arms),
        generator_cpu=sum(piece.cpu_ns for piece in slices) / elapsed_ns,
    )


def _quantiles(known: Iterable[str], at_least: Iterable[str]) -> dict[str, Quantile | None]:
    quantiles = histogram.quantiles(histogram.merge(known), histogram.merge(at_least), (0.50, 0.99))
    return {
        name: None if quantile is None else Quantile(ns=quantile[0], at_least=not quantile[1])
        for name, quantile in zip(("p50", "p99"), quantiles, strict=True)
    }
