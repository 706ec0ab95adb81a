"""A line of a configuration that does not do what it seems to do, or costs without need."""

from __future__ import annotations

from enum import IntEnum

import msgspec

from hopcost.nginx.edits import Edit, Place


class Bite(IntEnum):
    """What a trap does at its worst, the worst first."""

    FAILS = 0
    """requests fail, if only now and then"""
    MISLEADS = 1
    """clients or the app get something else than the lines seem to say"""
    COSTS = 2
    """CPU time without need"""


class Trap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One trap, by its line."""

    name: str
    """of a-z, 0-9 and -; several traps of one kind share it"""
    place: Place
    words: str
    """what it does, and what to do, in plain words"""
    edits: tuple[Edit, ...] | None = None
    """that mend it; None if nothing can be written for the user"""
    bite: Bite = Bite.COSTS
