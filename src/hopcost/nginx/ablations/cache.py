"""Caches of answers: they decide more than all else, since a hit asks no app."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context, on

KINDS = ("proxy", "fastcgi", "uwsgi", "scgi")


def find(context: Context) -> Iterator[Ablation]:
    """Each kind of cache off."""
    for kind in KINDS:
        lines = on(context.all_of(f"{kind}_cache"))
        if lines:
            yield context.make(
                f"{kind}-cache-off",
                f"{kind}_cache off",
                lines,
                context.set_all(lines, "off"),
                is_giant=True,
                receipt=Receipt.CACHED,
                unseen=None
                if context.seen.is_from_upstream
                else "this path asks no app; --path of one that does would show it",
                buys="the app answers once for many requests",
            )
