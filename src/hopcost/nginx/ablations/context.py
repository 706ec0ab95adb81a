"""What a site is made of: which directives reach it, and which value is in effect where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hopcost.nginx.ablations.ablation import Ablation, LoadSeen, Receipt
from hopcost.nginx.edits import Edit, Place
from hopcost.nginx.edits.make import add_inside, place_of, remove, set_arguments
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.sites import Site
from hopcost.nginx.sites.location import blocks_of_path
from hopcost.nginx.tree import Directive, Placed, inside, walk

Version = tuple[int, ...]

KEEPS_BY_DEFAULT_SINCE = (1, 29, 7)  # keepalive 32, HTTP/1.1 and no `Connection: close`


@dataclass(frozen=True)
class Context:
    """One site of a configuration, under one load, for one version of nginx."""

    configuration: ConfigurationText
    site: Site
    version: Version
    seen: LoadSeen

    @cached_property
    def reaching(self) -> list[Placed]:
        """All directives of HTTP that may touch a request to the site: none of other servers or unused upstreams."""
        used = {id(upstream.block) for upstream in self.site.upstreams if upstream.block is not None}
        return [
            placed
            for placed in walk(self.configuration)
            if not any(
                (block.name == "server" and block is not self.site.server)
                or (block.name == "upstream" and id(block) not in used)
                or block.name in ("stream", "mail")
                for block in (*placed.parents, placed.directive)
                if block.block is not None
            )
        ]

    def all_of(self, *names: str) -> list[Placed]:
        """Those with one of these names."""
        return [
            placed for placed in self.reaching if placed.directive.name in names and not placed.directive.is_include
        ]

    @property
    def http(self) -> Directive:
        """The block of HTTP that holds the site."""
        return next(
            directive
            for directive, _ in walk(self.configuration)
            if directive.name == "http" and any(server is self.site.server for server in _servers(directive))
        )

    @cached_property
    def chain(self) -> tuple[Directive, ...]:
        """The blocks around the answer to the load's path: `http`, the server, and its locations."""
        chain = (self.http, self.site.server, *blocks_of_path(self.site.server, self.seen.path))
        ways = [upstream.parents for upstream in self.site.upstreams]
        passes = any(all(block in chain for block in way if block.name == "location") for way in ways)
        if self.seen.is_from_upstream and ways and not passes:
            return ways[0]  # by an index or a rewrite, which is not followed here
        return chain

    @cached_property
    def _reached(self) -> set[int]:
        """The locations on the way of a request: those of its path, and of the subrequest that asks for leave."""
        blocks = list(self.chain)
        asks = self.in_effect("auth_request")
        if asks is not None and asks.first != "off":
            blocks += blocks_of_path(self.site.server, asks.first)
        return {id(block) for block in blocks}

    @cached_property
    def _locations(self) -> dict[int, list[Directive]]:
        """Of each directive, the locations that it stands in."""
        return {
            id(directive): [block for block in parents if block.name == "location"]
            for directive, parents in self.reaching
        }

    def is_reached(self, directive: Directive) -> bool:
        """Whether the load's path comes by. What stands in an `upstream` counts with its block."""
        if any(block.name == "upstream" for block in (directive, *self._around(directive))):
            return any(
                self._is_reached(upstream.passes)
                for upstream in self.site.upstreams
                if upstream.block is not None
                and (upstream.block is directive or any(line is directive for line in inside(upstream.block)))
            )
        return self._is_reached(directive)

    def _is_reached(self, directive: Directive) -> bool:
        return all(id(location) in self._reached for location in self._locations.get(id(directive), []))

    def _around(self, directive: Directive) -> tuple[Directive, ...]:
        return next((placed.parents for placed in self.reaching if placed.directive is directive), ())

    def in_effect(self, name: str, chain: tuple[Directive, ...] | None = None) -> Directive | None:
        """The directive of this name that is in effect there: the innermost."""
        for block in reversed(self.chain if chain is None else chain):
            own = [directive for directive in inside(block) if directive.name == name]
            if own:
                return own[-1]
        return None

    def value(self, name: str, default: str) -> str:
        """Its first argument, or nginx's default."""
        directive = self.in_effect(name)
        return directive.first if directive is not None else default

    @property
    def keeps_by_default(self) -> bool:
        """Whether this nginx keeps connections to the app without being told to."""
        return self.version >= KEEPS_BY_DEFAULT_SINCE

    @cached_property
    def workers(self) -> int:
        """How many processes serve requests."""
        if self.seen.workers is not None:
            return self.seen.workers
        words = [directive.first for directive, _ in self.all_of("worker_processes")]
        return int(words[-1]) if words and words[-1].isdigit() else 1

    def make(
        self,
        name: str,
        words: str,
        about: Iterable[Directive],
        edits: Iterable[Edit],
        *,
        is_giant: bool = False,
        is_offered: bool = False,
        receipt: Receipt = Receipt.NONE,
        unseen: str | None = None,
        buys: str = "",
    ) -> Ablation:
        """An ablation; its places and edits each once. It is not offered where a file is none of the user's."""
        about, kept = list(about), tuple(dict.fromkeys(edits))
        if unseen is None and not any(self.is_reached(directive) for directive in about):
            unseen = self._elsewhere(about[0])
        is_theirs = not any(edit.file in self.configuration.supplied for edit in kept)
        return Ablation(
            name,
            words if is_theirs else f"{words} (not in your files: around them)",
            self.places(about),
            kept,
            is_giant=is_giant,
            is_offered=is_offered and is_theirs,
            receipt=receipt,
            unseen=unseen,
            buys=buys,
        )

    def _elsewhere(self, directive: Directive) -> str:
        location = next(iter(self._locations.get(id(directive), [])), None)
        where = f"location {' '.join(location.args)}" if location is not None else "another location"
        return f"it is for {where}; --path of a page there would show it"

    def places(self, directives: Iterable[Directive]) -> tuple[Place, ...]:
        """Where they stand, each line once."""
        return tuple(dict.fromkeys(place_of(self.configuration, directive) for directive in directives))

    def removed(self, directives: Iterable[Directive]) -> list[Edit]:
        """Edits that take them away."""
        return [remove(self.configuration, directive) for directive in directives]

    def set_all(self, directives: Iterable[Directive], words: str) -> list[Edit]:
        """Edits that give all of them these arguments."""
        return [set_arguments(directive, words) for directive in directives]

    def added(self, *lines: str) -> list[Edit]:
        """Edits that add directives to the server of the site."""
        return [add_inside(self.configuration, self.site.server, line) for line in lines]


def _servers(http: Directive) -> Iterator[Directive]:
    return (directive for directive in inside(http) if directive.name == "server")


def on(lines: Iterable[Placed]) -> list[Directive]:
    """Those that are switched on, or name something."""
    return [placed.directive for placed in lines if placed.directive.first not in ("off", "0", "none", "")]


def size_bytes(word: str) -> int | None:
    """A size as nginx writes it; None if it is none.

    >>> size_bytes("4k"), size_bytes("1M"), size_bytes("100"), size_bytes("x")
    (4096, 1048576, 100, None)
    """
    factor = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}.get(word[-1:].lower(), 1)
    digits = word[:-1] if factor > 1 else word
    return int(digits) * factor if digits.isdigit() else None


def seconds(word: str) -> float | None:
    """A time as nginx writes it; None if it is none.

    >>> seconds("60s"), seconds("1m30s"), seconds("75"), seconds("500ms"), seconds("x")
    (60.0, 90.0, 75.0, 0.5, None)
    """
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "": 1.0}
    parts = re.findall(r"(\d+)(ms|[smhdw]|)", word)
    if not parts or "".join(f"{number}{unit}" for number, unit in parts) != word:
        return None
    return sum(float(number) * units[unit] for number, unit in parts)
