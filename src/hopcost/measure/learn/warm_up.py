"""When an app is warm: its CPU time per request stays from one stretch of load to the next. Pure.

CPU time, since throughput scatters with everything else that runs; and requests, since a program that compiles itself
as it runs warms up by them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import msgspec

LEAST_REQUESTS = 5000  # of a load before which nothing is taken for warm
LEAST_S = 20.0  # or so long, for an app that answers fewer
MOST_S = 30.0
STRETCH_REQUESTS = 1000
STRETCH_S = 0.5  # at the least; shorter ones scatter by more than ALIKE
MOST_STRETCH_S = 2.0  # with fewer requests than STRETCH_REQUESTS
ALIKE = 0.03  # by which the last two stretches may differ
COLD = 0.05  # above the last two a stretch at the beginning is cold; one in between is the machine's


class Stretch(msgspec.Struct, frozen=True):
    """A stretch of load; its CPU time is None if that of a process is not known."""

    requests: int
    elapsed_ns: int
    cpu_ns: int | None

    @property
    def cost_ns(self) -> float | None:
        """CPU time per request."""
        return None if self.cpu_ns is None or not self.requests else self.cpu_ns / self.requests


class Warmth(msgspec.Struct, frozen=True):
    """What an app has answered until it was warm, how long that took, and what it did from then on.

    `change` is by how much the last two stretches differ; None if that is not known.
    """

    warm_up_requests: int
    warm_up_s: float
    cpu_us_per_request: float | None
    throughput_per_s: float
    change: float | None

    @property
    def is_settled(self) -> bool:
        """Whether the load ended since the app was warm, and not since its time was over."""
        return self.change is not None and self.change < ALIKE


def together(stretches: Sequence[Stretch]) -> Stretch:
    """Several as one."""
    cpu = [stretch.cpu_ns for stretch in stretches]
    known = [ns for ns in cpu if ns is not None]
    return Stretch(
        requests=sum(stretch.requests for stretch in stretches),
        elapsed_ns=sum(stretch.elapsed_ns for stretch in stretches),
        cpu_ns=sum(known) if len(known) == len(cpu) else None,
    )


def cut(slices: Iterable[Stretch]) -> list[Stretch]:
    """Slices put together to stretches that are long enough to be compared; what is left over at the end is not."""
    stretches: list[Stretch] = []
    open_: list[Stretch] = []
    for piece in slices:
        open_.append(piece)
        stretch = together(open_)
        elapsed_s = stretch.elapsed_ns / 1e9
        is_enough = stretch.requests >= STRETCH_REQUESTS and elapsed_s >= STRETCH_S
        if is_enough or elapsed_s >= MOST_STRETCH_S:
            stretches.append(stretch)
            open_ = []
    return stretches


def is_over(stretches: Sequence[Stretch]) -> bool:
    """Whether the load may end: the app is warm, or its time is over."""
    whole = together(stretches)
    elapsed_s = whole.elapsed_ns / 1e9
    if elapsed_s >= MOST_S:
        return True
    change = _change(stretches)
    return (whole.requests >= LEAST_REQUESTS or elapsed_s >= LEAST_S) and change is not None and change < ALIKE


def summarise(stretches: Sequence[Stretch]) -> Warmth:
    """What the stretches of a whole warm-up come to. There is at least one."""
    warm = together(stretches[-2:])
    settled_ns = warm.cost_ns
    dear_ns = math.inf if settled_ns is None else settled_ns * (1 + COLD)
    cold = itertools.takewhile(lambda stretch: (stretch.cost_ns or 0.0) > dear_ns, stretches[:-2])
    before = together(list(cold))
    return Warmth(
        warm_up_requests=before.requests,
        warm_up_s=before.elapsed_ns / 1e9,
        cpu_us_per_request=None if settled_ns is None else settled_ns / 1e3,
        throughput_per_s=warm.requests / (warm.elapsed_ns / 1e9),
        change=_change(stretches),
    )


def _change(stretches: Sequence[Stretch]) -> float | None:
    """By which share the cost of the last stretch differs from that of the one before."""
    costs = [stretch.cost_ns for stretch in stretches[-2:]]
    if len(costs) < 2 or costs[0] is None or costs[1] is None:
        return None
    return abs(costs[1] / costs[0] - 1)
