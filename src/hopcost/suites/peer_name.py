"""The load generators that a suite and the command line may name; light, since `--help` reads it."""

from __future__ import annotations

from enum import StrEnum


class PeerName(StrEnum):
    """Load generators that can drive an arm in place of our engine."""

    WRK = "wrk"
    AB = "ab"
    H2LOAD = "h2load"
    HEY = "hey"
    OHA = "oha"
