"""What ends a run before its time."""

from __future__ import annotations

from enum import StrEnum


class Until(StrEnum):
    """Precision: every ratio is narrow enough. Decided: of the arms asked about it is known which way they differ."""

    PRECISION = "precision"
    DECIDED = "decided"
