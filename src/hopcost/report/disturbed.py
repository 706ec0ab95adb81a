"""Disturbed starts in a sentence or two: how many, by what, what that does to the figures, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.record.contents.block import Block
from hopcost.record.contents.reason import ReasonKind
from hopcost.report.formatting import count
from hopcost.statistics.validity.reasons import Alike, group_reasons, name_programs

CLOSED = 2  # programs, those that disturbed most often
INIT = 1  # whose children come and go; it cannot be closed
NAMED = 2  # causes, those of most starts first
ALL = "--details=starts"
WIDER, SLOWER, OFF = "ranges are wider, figures stand", "response times may look longer", "figures may be off"
WIDENING = (
    ReasonKind.OTHER_PROGRAMS,
    ReasonKind.BACKGROUND,
    ReasonKind.STEAL,
    ReasonKind.QUOTA,
    ReasonKind.SWAPPING,
)
SLOWING = (
    ReasonKind.RUN_DELAY,
    ReasonKind.LONG_STALLS,
    ReasonKind.STOOD_STILL,
    ReasonKind.GENERATOR_BUSY,
    ReasonKind.LATE,
    ReasonKind.NOT_SENT,
)
EFFECTS = {**dict.fromkeys(WIDENING, WIDER), **dict.fromkeys(SLOWING, SLOWER)}


def disturbed_sentences(suspect: Sequence[Block], starts: int, details: str = ALL) -> list[str]:
    """`In 1 of 4 server starts other programs used 25 % of the CPU: …`; nothing if none was disturbed.

    If all were, a second sentence says what to do. `details` is the option that shows each start.
    """
    if not suspect:
        return []
    reasons = group_reasons((number, reason) for number, block in enumerate(suspect) for reason in block.reasons)
    kinds = sorted(reasons, key=lambda kind: -len(set(kind.blocks)))
    is_all = len(suspect) == starts
    where = _all(starts) if is_all else f"{len(suspect)} of {count(starts, 'server start')}"
    causes = " and ".join(_cause(kind) for kind in kinds[:NAMED]) or "something disturbed them"
    first = f"In {where} {causes}{_effect(kinds)} ({details})."
    if not is_all:
        return [first]
    what = remedy(suspect)
    return [first, f"{what[0].upper()}{what[1:]} and run again."]


def _all(starts: int) -> str:
    return {1: "the one server start", 2: "both server starts"}.get(starts, f"all {starts} server starts")


def _cause(kind: Alike) -> str:
    """`other programs used 25 to 35 % of the CPU`, without their names."""
    what = kind.what.partition(": ")[0].removesuffix(" though a connection was free")
    return f"{kind.subject} {what}" if _of(kind) is ReasonKind.BACKGROUND else what


def _effect(kinds: Sequence[Alike]) -> str:
    """What it does to the figures; nothing of causes that are not known to do the same each time."""
    if any(_of(kind) is ReasonKind.OTHER_PROGRAMS and _most(kind) > METHOD.max_foreign_share for kind in kinds):
        return f": {OFF}"  # only `--anyway` counts such starts
    effects = [effect for effect in (WIDER, SLOWER) if any(EFFECTS.get(_of(kind)) == effect for kind in kinds)]
    return f": {' and '.join(effects).replace(', figures stand and', ' and')}" if effects else ""


def _most(kind: Alike) -> float:
    return max((reason.value or 0.0 for reason in kind.reasons), default=0.0)


def remedy(suspect: Sequence[Block]) -> str:
    """`close python3 (pid 812)`: what would have helped these starts."""
    reasons = [reason for block in suspect for reason in block.reasons if reason.kind is ReasonKind.OTHER_PROGRAMS]
    programs = [program for reason in reasons for program in reason.programs if program.pid != INIT]
    if programs:
        return f"close {name_programs(programs, CLOSED)}"
    return "close other programs" if reasons else "wait for a quieter hour"


def _of(kind: Alike) -> ReasonKind:
    return kind.reasons[0].kind
