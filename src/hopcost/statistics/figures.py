"""Figures of an arm's part of a block: throughput and CPU per request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.offered_load import OpenLoad

Known = TypeVar("Known")


class BlockFigure(msgspec.Struct, frozen=True):
    """A figure of an arm's part of a block: None or 0 if the arm does not have it.

    `name` tells the figures of a record apart: contrasts of one name are estimated together. `share` is that of the
    offered load; None is the closed loop.
    `scatters_by_factors`: two runs of one arm differ by factors, as quantiles do under stalls. Then a ratio takes the
    geometric mean of the baseline's two runs (docs/explain/intervals.md).
    """

    name: str
    read: Callable[[ArmBlock], float | None]
    share: float | None = None
    scatters_by_factors: bool = False

    def __call__(self, arm: ArmBlock) -> float | None:
        return self.read(arm)

    def rounds(self, arm: ArmBlock) -> int:
        """Rounds that the figure was taken over; 0 of a block without that offered load."""
        if self.share is None:
            return arm.rounds
        load = load_at(arm, self.share)
        return 0 if load is None else len(load.slices)


def load_at(arm: ArmBlock, share: float) -> OpenLoad | None:
    """The arm's part of a block at that share of the slowest arm's capacity."""
    return next((load for load in arm.open_loop if load.share == share), None)


def _throughput(arm: ArmBlock) -> float | None:
    """Correct answers per second of the arm's own time, over the block's slices."""
    return arm.answers * 1e9 / arm.elapsed_ns if arm.elapsed_ns else None


def _cpu_per_request(arm: ArmBlock) -> float | None:
    """CPU ns of all hops per correct answer, over the block's slices."""
    used = total(arm.cpu_ns(hop) for hop in arm.hops)
    return used / arm.answers if used is not None and arm.answers else None


throughput = BlockFigure("throughput", _throughput)
cpu_per_request = BlockFigure("cpu_per_request", _cpu_per_request)


def cpu_of(hop: str) -> BlockFigure:
    """CPU ns of one hop per correct answer, over the block's slices."""

    def figure(arm: ArmBlock) -> float | None:
        used = arm.cpu_ns(hop)
        return used / arm.answers if used is not None and arm.answers else None

    return BlockFigure(f"cpu_per_request:{hop}", figure)


def total(values: Iterable[int | None]) -> int | None:
    """The sum; None if one of the values is unknown."""
    known = all_known(values)
    return None if known is None else sum(known)


def sum_by_kind(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by kind added up, in the order in which the kinds come."""
    sums: dict[str, int] = {}
    for kind, count in (item for by_kind in counts for item in by_kind.items()):
        sums[kind] = sums.get(kind, 0) + count
    return sums


def all_known(values: Iterable[Known | None]) -> list[Known] | None:
    """The values; None if one of them is unknown."""
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return known


def cpu_of_hops(cpu_ns: Mapping[str, int | None]) -> int | None:
    """All hops together, without the generator; None if one is not known, or there is none."""
    hops = [ns for name, ns in cpu_ns.items() if name != "generator"]
    return total(hops) if hops else None
