"""The places where a server listens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hopcost.nginx.tree import Directive, inside

PLACE = re.compile(r"(?:(?P<host>\[[^\]]*\]|\*|[^:\[\]]+):)?(?P<port>\d+)$")
DEFAULT_PORT = 80


@dataclass(frozen=True)
class Listen:
    """One `listen` of a server. `directive` is None for the one that nginx assumes."""

    directive: Directive | None
    host: str
    """an address, `*` for all of IPv4, `[::]` for all of IPv6; a path for a Unix socket"""
    port: int | None
    """None for a Unix socket"""
    words: frozenset[str] = frozenset()
    """`ssl`, `default_server` and the like"""

    @property
    def is_tls(self) -> bool:
        """Whether TLS is spoken there."""
        return "ssl" in self.words

    @property
    def is_default(self) -> bool:
        """Whether its server answers for hosts that no server names."""
        return bool(self.words & {"default_server", "default"})

    @property
    def can_be_loaded(self) -> bool:
        """Whether hopcost can send requests there: by TCP, without the PROXY protocol."""
        return self.port is not None and not self.words & {"quic", "proxy_protocol", "udp"}


def listens_of(server: Directive) -> list[Listen]:
    """All places where it listens."""
    lines = [directive for directive in inside(server) if directive.name == "listen" and directive.args]
    all_tls = any(directive.name == "ssl" and directive.first == "on" for directive in inside(server))
    listens = [_listen(line, all_tls) for line in lines]
    return listens or [Listen(None, "*", DEFAULT_PORT, frozenset({"ssl"} if all_tls else ()))]


def _listen(line: Directive, all_tls: bool) -> Listen:
    words = frozenset(line.args[1:]) | (frozenset({"ssl"}) if all_tls else frozenset())
    if line.first.startswith("unix:"):
        return Listen(line, line.first.removeprefix("unix:"), None, words)
    place = PLACE.match(line.first)
    if place:
        return Listen(line, place["host"] or "*", int(place["port"]), words)
    return Listen(line, line.first, DEFAULT_PORT, words)
