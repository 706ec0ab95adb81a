"""A margin as people write it."""

from __future__ import annotations

import re

from hopcost.errors import UsageError

LEAST_PERCENT, MOST_PERCENT = 0.1, 50.0  # per cent


def margin_fraction(text: str) -> float:
    """`3%`, `3 %` or `3` as 0.03; UsageError for anything else.

    >>> margin_fraction("3%"), margin_fraction("2.5")
    (0.03, 0.025)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", text.strip(), re.ASCII)
    percent = float(found[1]) if found else 0.0
    if not LEAST_PERCENT <= percent <= MOST_PERCENT:
        raise UsageError(
            f"--margin: expected a percentage from {LEAST_PERCENT} to {MOST_PERCENT:g}, got '{text}'",
            "as in --margin 3%",
        )
    return percent / 100


ARM_HELP = "SUITE/EXPERIMENT/ARM, as in nginx-go/one-core/nginx-http-tcp."
