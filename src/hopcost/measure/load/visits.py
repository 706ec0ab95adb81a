"""Visitors of an arm, one after the other, each on a connection of its own: what they meet while it is restarted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from http.client import RemoteDisconnected

import msgspec

from hopcost.errors import ArmFailed
from hopcost.measure.rig import Rig
from hopcost.stacks.client.connection import Endless
from hopcost.stacks.stack import Stack
from hopcost.suites.experiments.workload import Workload


class Visit(msgspec.Struct, frozen=True):
    """When it began and ended on the rig's clock; `failure` is its kind, None of a right answer."""

    began_s: float
    ended_s: float
    failure: str | None = None


def visit(rig: Rig, stack: Stack, workload: Workload, status: int) -> Visit:
    """One visitor, who expects an answer of this status."""
    began_s = rig.now_s()
    try:
        answer = rig.ask(stack, workload)
    except ArmFailed as error:
        return Visit(began_s, rig.now_s(), kind_of(error.__cause__))
    return Visit(began_s, rig.now_s(), None if answer.status == status else "status")


def kind_of(error: BaseException | None) -> str:
    """Why there was no answer, in a word.

    >>> kind_of(ConnectionRefusedError()), kind_of(ConnectionResetError()), kind_of(TimeoutError()), kind_of(None)
    ('refused', 'cut off', 'timeout', 'other')
    """
    match error:
        case ConnectionRefusedError() | FileNotFoundError():  # of a Unix socket its file is gone
            return "refused"
        case ConnectionError() | RemoteDisconnected():
            return "cut off"
        case TimeoutError() | Endless():
            return "timeout"
    return "other"


def failed_by_kind(visits: Sequence[Visit]) -> dict[str, int]:
    """How many failed, by kind."""
    kinds = [one.failure for one in visits if one.failure is not None]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def longest_gap_ns(visits: Sequence[Visit]) -> int:
    """The longest time without a right answer, from the first visit's beginning to the last one's end.

    >>> longest_gap_ns([Visit(0, 1), Visit(1, 2, "refused"), Visit(2, 4), Visit(4, 4.5)])
    3000000000
    """
    if not visits:
        return 0
    good = [one.ended_s for one in visits if one.failure is None]
    moments = [visits[0].began_s, *good, visits[-1].ended_s]
    return round(1e9 * max(later - earlier for earlier, later in itertools.pairwise(moments)))
