"""A margin as people write it."""

from __future__ import annotations

import re

from hopcost.errors import UsageError

LEAST, MOST = 0.1, 50.0  # per cent


def fraction(text: str) -> float:
    """`3%`, `3 %` or `3` as 0.03; UsageError for anything else.

    >>> fraction("3%"), fraction("2.5")
    (0.03, 0.025)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", text.strip(), re.ASCII)
    percent = float(found[1]) if found else 0.0
    if not LEAST <= percent <= MOST:
        raise UsageError(f"--margin: expected a percentage from {LEAST} to {MOST:g}, got '{text}'", "as in --margin 3%")
    return percent / 100
