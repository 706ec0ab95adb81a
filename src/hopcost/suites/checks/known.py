"""Names that must be known."""

from __future__ import annotations

from collections.abc import Collection

from hopcost.errors import UsageError, nearest


def refuse_unknown(word: str, known: Collection[str], message: str) -> None:
    """UsageError with the message, and the nearest of the known words."""
    if word not in known:
        raise UsageError(message, nearest(word, known))
