"""Simulated histories, with a step and without one, and what `change_points` makes of them as records come in. Seeded.

A record's log-ratio is its level and a normal deviate of the spread between records. Nothing else is known of it.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from hopcost.statistics.change_points import LEAST_RECORDS, Change, change_points

Floats = NDArray[np.float64]

STEP = 0.05  # the arm's figure rises by that, or falls to 1 ÷ (1 + that)
BEFORE = (30, 60)  # records before a step, evenly drawn
NEAR = 3  # records between a change at one look and at the next, if it is the same


class Stepped(msgspec.Struct, frozen=True):
    """A history with a step: ln of its size, the first record after it, and how far off a change of it may lie.

    That is as many records as it may take to find it: where records scatter widely, its place is known no better.
    """

    logs: Floats
    size: float
    index: int
    near: int


class Found(msgspec.Struct, frozen=True):
    """What became of a step: whether a look saw it, and whether the last one did, with an interval that holds it."""

    seen: bool
    stands: bool
    covers: bool


def stepped(dice: np.random.Generator, spread: float, after: int) -> Stepped:
    """A history that ends so many records after its step."""
    before = int(dice.integers(BEFORE[0], BEFORE[1], endpoint=True))
    size = math.log1p(STEP) * (1 if dice.random() < 0.5 else -1)
    logs = spread * dice.standard_normal(before + after)
    logs[before:] += size
    return Stepped(logs, size, before, near=after)


def look_for(history: Stepped) -> Found:
    """Look after each record from the step on, as somebody does who looks after each run."""
    seen, last = False, None
    for end in range(history.index + LEAST_RECORDS, len(history.logs) + 1):
        last = _nearest(changes_in(history.logs[:end]), history)
        seen = seen or last is not None
    covers = last is not None and last.low <= history.size <= last.high
    return Found(seen=seen, stands=last is not None, covers=covers)


def _nearest(changes: tuple[Change, ...], history: Stepped) -> Change | None:
    """The change that is the step: of its direction, and near it."""
    near = [change for change in changes if abs(change.index - history.index) <= history.near]
    own = [change for change in near if change.size * history.size > 0]
    return min(own, key=lambda change: abs(change.index - history.index), default=None)


def changes_in(logs: Floats) -> tuple[Change, ...]:
    """All changes of a history of which nothing but log-ratios is known."""
    return change_points(logs.tolist(), [None] * len(logs)).changes


def level(dice: np.random.Generator, spread: float, records: int) -> Floats:
    """A history in which nothing changes."""
    return spread * dice.standard_normal(records)


def told_in_passing(logs: Floats) -> int:
    """How many changes somebody is told of who looks after each record, those that go away again included."""
    told, shown = 0, list[int]()
    for end in range(2 * LEAST_RECORDS, len(logs) + 1):
        now = [change.index for change in changes_in(logs[:end])]
        told += sum(all(abs(index - before) > NEAR for before in shown) for index in now)
        shown = now
    return told


def learned(logs: Floats) -> float:
    """The spread that a history shows."""
    return change_points(logs.tolist(), [None] * len(logs)).spread
