"""How the arms of an experiment take turns, out of what the machine's limits and the programs' time-outs allow.

All arms are alive and frozen in between, if that is possible. Else as many as open files hold, at least three; else
one. If open files do not hold the connections of one arm, it gets as many as they hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.plan.method import METHOD
from hopcost.suites.arms.server import RunningServer

TOGETHER_AT_LEAST = 3  # the baseline, its copy and one arm


class Turns(Enum):
    """Who is alive together in a block: all arms; one arm; all arms, one of them loaded far longer."""

    ALL = "all"
    WHOLE = "whole"
    SOAK = "soak"

    @property
    def interleave(self) -> bool:
        """Whether the arms of a block have slices in rounds, about as long for all."""
        return self is Turns.ALL


class Scope(Enum):
    """What the blocks of an experiment repeat: starts of programs, or looks at processes that go on running."""

    STARTS = "starts"
    PROCESSES = "processes"


class TurnsChosen(msgspec.Struct, frozen=True):
    """How many connections each arm gets, how arms take turns, what a reader must know, how many arms fit together."""

    connections: int
    turns: Turns
    notes: list[str]
    together: int


def choose_turns(
    *, connections: int, arms: int, through_proxies: bool, open_files: int, wanted: Turns, beside: int = 0
) -> TurnsChosen:
    """What the hard limit of open files allows; `arms` counts the baseline's copy too.

    The generator holds the connections of all arms that are alive, and `beside` each arm's as many slow clients and
    idle connections; a proxy holds two for each of its own. CannotMeasure if not even one connection fits.
    """
    here, notes = connections, []
    usable = max(0, open_files - METHOD.spare_files)
    per_connection = 2 if through_proxies else 1
    most = usable // per_connection - beside
    if wanted is Turns.SOAK:
        most = min(most, usable // arms - beside)
    if most < 1:
        others = f", {beside} slow clients and idle connections" if beside else ""
        raise CannotMeasure(
            f"{METHOD.spare_files} open files and {per_connection} per connection are needed{others}, the hard limit is"
            f" {open_files}",
            f"raise it: ulimit -Hn {(connections + beside) * max(arms, per_connection) + METHOD.spare_files}"
            + ("; or ask for fewer of them" if beside else ""),
        )
    if here > most:
        here = most
        notes.append(f"{connections} connections asked for, {here} here: the hard limit of open files is {open_files}")
    if wanted in (Turns.WHOLE, Turns.SOAK):
        return TurnsChosen(here, wanted, notes, arms)
    if (here + beside) * arms <= usable:
        return TurnsChosen(here, Turns.ALL, notes, arms)
    needed = f"{(here + beside) * arms + METHOD.spare_files} open files for all arms at once, {open_files} allowed"
    together = usable // (here + beside)
    if together >= TOGETHER_AT_LEAST:
        notes.append(f"groups of at most {together} arms, the baseline and its copy in each: {needed}")
        return TurnsChosen(here, Turns.ALL, notes, together)
    notes.append(f"one arm at a time: {needed}")
    return TurnsChosen(here, Turns.WHOLE, notes, arms)


def visit_s_most(*, arms: int, idle_timeout_s: dict[str, float]) -> float:
    """How long a visit of an arm may be, so that no arm is frozen for longer than `idle_note` allows; inf: any time.

    >>> visit_s_most(arms=4, idle_timeout_s={"apache2": 60.0, "node": 5.0}), visit_s_most(arms=4, idle_timeout_s={})
    (0.4166666666666667, inf)
    """
    return min(idle_timeout_s.values(), default=math.inf) * METHOD.idle_share / (2 * (arms - 1))


def why_not_interleaved(
    *, arms: int, visit_ns: int, idle_timeout_s: dict[str, float], so: str = "one arm at a time"
) -> str | None:
    """Why arms cannot take turns in such visits, and what follows (`so`); None if they can.

    The time for which an arm is frozen, against the smallest idle time-out; `arms` are alive together, each is visited
    for `visit_ns`, on the mean over rounds: what single ones are longer, the other half of the time-out holds. Its
    seconds are by program. Shuffled, an arm may come first in one round and last in the next: all others are visited
    twice in between.
    """
    if not idle_timeout_s:
        return None
    program, least_s = min(idle_timeout_s.items(), key=lambda item: item[1])
    gap_s = 2 * (arms - 1) * visit_ns / 1e9
    if gap_s <= least_s * METHOD.idle_share:
        return None
    return (
        f"{so}: in turns an arm would be frozen for {gap_s:.1f} s, and after {least_s:g} s {program} drops"
        " idle connections"
    )


def why_idle_not_interleaved(*, arms: int, every_s: float, idle_timeout_s: dict[str, float]) -> str | None:
    """Why idle connections, each asking once in `every_s`, cannot wait for the other arms' turns; None if they can.

    A program that drops them even without any turns drops them here too: that is its result.

    >>> why_idle_not_interleaved(arms=3, every_s=30, idle_timeout_s={"nginx": 75.0, "node": 5.0})
    'one arm at a time: in turns an idle connection would wait for 90 s, and after 75 s nginx drops it'
    >>> why_idle_not_interleaved(arms=2, every_s=30, idle_timeout_s={"nginx": 75.0, "node": 5.0})
    """
    patient = {program: seconds for program, seconds in idle_timeout_s.items() if seconds > every_s}
    program, least_s = min(patient.items(), key=lambda item: item[1], default=("", math.inf))
    if arms * every_s < least_s:
        return None
    return (
        f"one arm at a time: in turns an idle connection would wait for {arms * every_s:.3g} s, and after {least_s:g} s"
        f" {program} drops it"
    )


def why_opened_each_turn(servers: Sequence[RunningServer], gap_s: float) -> list[str]:
    """Why connections to running servers live for one turn only; empty if they can wait for the next one.

    `gap_s` is the longest time between two turns of a server.

    >>> gunicorn = RunningServer(":1", "http+tcp", "127.0.0.1:1", "localhost:1", "/", idle_timeout_s=2.0)
    >>> why_opened_each_turn([gunicorn], 5.6), why_opened_each_turn([gunicorn], 1.9)
    (['localhost:1 drops idle ones after 2 s'], [])
    """
    reasons = []
    for server in servers:
        if server.blocked_by_idle is not None:
            reasons.append(f"while others are open and idle, {server.program} does not answer")
        if server.idle_timeout_s is not None and server.idle_timeout_s <= gap_s:
            reasons.append(f"{server.program} drops idle ones after {server.idle_timeout_s:g} s")
    if not reasons and gap_s > METHOD.max_idle_watch_s:
        reasons.append(f"one would be idle for up to {gap_s:.0f} s")
    return list(dict.fromkeys(reasons))


def why_no_lower_load(servers: Sequence[RunningServer], connections: int) -> str | None:
    """Why servers cannot be loaded below their capacity over so many connections; None if they can.

    At a lower load most connections are idle behind an answer. A worker that stays with one of them is missed by the
    others.
    """
    for server in servers:
        beside = server.blocked_by_kept
        if beside is not None and beside < connections:
            kept = "one connection that it keeps" if beside == 1 else f"{beside} connections that it keeps"
            return f"no open loop: beside {kept} open {server.program} answers no others"
    return None
