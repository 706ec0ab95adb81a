"""Traps of inheritance: a block's own header lines take the place of all outer ones."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.context import Context
from hopcost.nginx.edits.make import place_of
from hopcost.nginx.traps.trap import Bite, Trap
from hopcost.nginx.tree import Directive, inside

NAMES = ("add_header", "proxy_set_header")
WHOM = {"add_header": "the client", "proxy_set_header": "the app"}
MOST_NAMED = 3


def find(context: Context) -> Iterator[Trap]:
    """Header lines of outer blocks that are lost on the way of the load's path."""
    for name in NAMES:
        outer: list[Directive] = []
        for block in context.chain:
            own = [line for line in inside(block) if line.name == name]
            lost = _names(outer) - _names(own)
            if own and lost:
                some = ", ".join(sorted(lost)[:MOST_NAMED]) + (" …" if len(lost) > MOST_NAMED else "")
                words = f"{WHOM[name]} gets no {some}: {name} in this block takes the place of those outside of it"
                yield Trap(
                    f"lost-{name.replace('_', '-')}", place_of(context.configuration, own[0]), words, bite=Bite.MISLEADS
                )
            outer = own or outer


def _names(lines: list[Directive]) -> set[str]:
    return {line.first for line in lines}
