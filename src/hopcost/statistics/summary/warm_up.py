"""From when on an arm under load is warm: the last change-point of CPU per request over its warm-up's slices.

Change-points by optimal partitioning (Jackson et al. 2005, IEEE Signal Processing Letters 12(2)) on squared deviations,
much as Barrett et al. ("Virtual machine warmup blows hot and cold", OOPSLA 2017) find the steady state of a virtual
machine; they also have none now and then.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import msgspec
import numpy as np

from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_lines import WarmedUp
from hopcost.record.contents.block import ArmBlock, Block

SLICES_AT_LEAST = 6  # fewer show no change
AS_LONG = 0.9  # of the longest warm-up: such are looked at together
SEGMENT_AT_LEAST = 2  # slices

PENALTY = 6.0  # of a change-point, in units of the noise's variance × ln n

PER_SD = 1.4826 / math.sqrt(2)  # median absolute difference of neighbours → standard deviation, if noise is normal


class WarmUpLength(msgspec.Struct, frozen=True):
    """How long every arm is to be warmed up, and the arms that were not steady by the end of the pilot's."""

    length_ns: int
    unsteady: list[str]


def warm_up_length(blocks: Sequence[Block], least_ns: int) -> WarmUpLength:
    """One length for all arms, out of blocks whose warm-ups were long: that of the arm that takes longest."""
    starts: dict[str, list[WarmedUp]] = {}
    for arm in (arm for block in blocks for arm in block.arms):
        if arm.warm_up is not None and arm.warm_up.slices_elapsed_ns:
            starts.setdefault(arm.name, []).append(arm.warm_up)
    length_ns, unsteady = least_ns, []
    for name, warm_ups in starts.items():
        first = steady_from(course(warm_ups))
        if first is None:
            unsteady.append(name)
        length_ns = max(length_ns, sum(warm_ups[-1].slices_elapsed_ns[:first]))
    return WarmUpLength(length_ns=length_ns, unsteady=unsteady)


def is_steady(parts: Sequence[ArmBlock]) -> bool | None:
    """Whether an arm's long warm-ups ended in a steady state; None if they had too few slices to tell."""
    warm_ups = [part.warm_up for part in parts if part.warm_up is not None]
    longest = max((len(warm_up.answers) for warm_up in warm_ups), default=0)
    if longest < SLICES_AT_LEAST:
        return None
    long = [warm_up for warm_up in warm_ups if len(warm_up.answers) >= AS_LONG * longest]
    return steady_from(course(long)) is not None


def course(warm_ups: Sequence[WarmedUp]) -> list[float]:
    """What an answer costs in each slice of the warm-ups of several starts, as a multiple of a start's median.

    Minimum over starts: interference hits one start, a real warm-up cost shows in all of them.
    """
    return [min(costs) for costs in zip(*map(_to_median, map(cost, warm_ups)), strict=False)]


def _to_median(costs: list[float]) -> list[float]:
    finite = [cost for cost in costs if math.isfinite(cost)]
    return [cost / statistics.median(finite) for cost in costs] if finite else costs


def cost(warm_up: WarmedUp) -> list[float]:
    """CPU ns per answer of each warm-up slice, or the arm's own time if CPU time is not known; inf without answers."""
    known = bool(warm_up.cpu_ns) and all(used is not None for used in warm_up.cpu_ns)
    spent = [used or 0 for used in warm_up.cpu_ns] if known else warm_up.slices_elapsed_ns
    return [ns / answers if answers else math.inf for ns, answers in zip(spent, warm_up.answers, strict=True)]


def steady_from(figures: Sequence[float]) -> int | None:
    """The index of the first steady slice; None if the last change comes too late to call the rest steady.

    Slices without an answer at the beginning (infinite) are no steady state by themselves.
    """
    begin = next((index for index, figure in enumerate(figures) if math.isfinite(figure)), len(figures))
    rest = np.asarray(figures[begin:], dtype=float)
    if len(rest) < SLICES_AT_LEAST or not np.all(np.isfinite(rest)):
        return begin if begin == 0 and len(rest) and np.all(np.isfinite(rest)) else None
    logs = np.log(rest)
    edges = [0, *change_points(logs)]
    first = edges[-1]
    last_mean = float(logs[first:].mean())
    for before, edge in zip(reversed(edges[:-1]), reversed(edges[1:]), strict=True):
        if abs(float(logs[before:edge].mean()) - last_mean) > METHOD.small_change:
            break
        first = before
    return begin + first if len(rest) - first >= METHOD.steady_share * len(rest) else None


def change_points(figures: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    """Where the mean changes, as indices: of all partitions the one of least squared deviations, at a price per change.

    By dynamic programming: the best partition up to an edge goes on from the best one up to the edge before it.
    """
    noise = PER_SD * float(np.median(np.abs(np.diff(figures))))
    penalty = PENALTY * max(noise, 1e-6) ** 2 * math.log(len(figures))
    sums, squares = (np.concatenate([[0.0], np.cumsum(values)]) for values in (figures, figures**2))
    least = np.full(len(figures) + 1, np.inf)  # by edge, of the slices before it
    least[0] = -penalty  # the first segment begins without a change
    before = np.zeros(len(figures) + 1, dtype=int)
    for edge in range(SEGMENT_AT_LEAST, len(figures) + 1):
        begins = np.arange(edge - SEGMENT_AT_LEAST + 1)
        deviations = squares[edge] - squares[begins] - (sums[edge] - sums[begins]) ** 2 / (edge - begins)
        totals = least[begins] + deviations + penalty
        before[edge] = np.argmin(totals)
        least[edge] = totals[before[edge]]
    edges, edge = [], int(before[-1])
    while edge:
        edges.append(edge)
        edge = int(before[edge])
    return edges[::-1]
