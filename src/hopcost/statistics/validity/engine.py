"""The engine's own judgement as reasons. It judges a run in sentences; what nobody knows here stays as it is.

It sees what its lines do not tell: connections that opened late, ports used up, bytes that nobody asked for.
"""

from __future__ import annotations

import re

from hopcost.record.contents.reason import Reason, ReasonKind

# What tells its sentences apart (crates/engine/src/session/judgement.rs); the first number of each is its figure.
PHRASES = {
    "ended early": ReasonKind.ENDED_EARLY,
    "could be opened": ReasonKind.NOT_OPENED,
    "connections were not open yet": ReasonKind.OPENED_LATE,
    "no local port left": ReasonKind.NO_PORTS,
    "though a connection was free": ReasonKind.LATE,
    "busy and no other one was full": ReasonKind.GENERATOR_BUSY,
    "CPU time was used outside its own slices": ReasonKind.OUTSIDE,
    "bytes came where no request was in flight": ReasonKind.UNASKED_BYTES,
    "the generator waited for its core": ReasonKind.RUN_DELAY,
    "the hypervisor kept": ReasonKind.STEAL,
}
MACHINE = re.compile(r"on (\S+): ")  # of several generators: whose engine says it (measure/fleet/merge.py)
ARM = re.compile(r"arm `([^`]+)`: ")
FIGURE = re.compile(r"(\d+(?:\.\d+)?)( %)?")


def engine_reason(sentence: str, rate_per_s: float | None = None) -> Reason:
    """A sentence of the engine's last line, under that offered load (None: the closed loop)."""
    machine, of_arm = _without(MACHINE, sentence)
    arm, rest = _without(ARM, of_arm)
    kind = next((kind for phrase, kind in PHRASES.items() if phrase in rest), ReasonKind.ENGINE)
    if kind is ReasonKind.ENGINE:
        return Reason(kind, arm, rate_per_s, machine=machine, text=rest)
    if kind is ReasonKind.OUTSIDE:
        machine = None  # the stacks' machine has it, whoever says so
    figure = FIGURE.search(rest)
    value = None if figure is None else float(figure[1]) / (100 if figure[2] else 1)
    return Reason(kind, arm, rate_per_s, value, machine=machine)


def _without(name: re.Pattern[str], sentence: str) -> tuple[str | None, str]:
    """The name that the sentence begins with, and the rest of it."""
    named = name.match(sentence)
    return (named[1], sentence[named.end() :]) if named else (None, sentence)
