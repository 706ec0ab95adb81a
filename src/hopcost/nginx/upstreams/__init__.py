"""Where a configuration sends requests: literally, by an `upstream` block, or by a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hopcost.nginx.tree import Directive, HasTree, Placed, inside, walk
from hopcost.nginx.upstreams.variables import VARIABLE, expand, find_values

PASSES = frozenset({"proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass"})
SCHEME = re.compile(r"(?i)(https?|grpcs?)://")
DEFAULT_PORTS = {"http": 80, "https": 443, "grpc": 80, "grpcs": 443}
ADDRESS = re.compile(r"(?P<host>\[[^\]]*\]|[^:/]*)(?::(?P<port>\d+))?$")
TLS_LEFT_OUT = "TLS to the upstream is left out, and what it costs"  # wherever something stands in for it
FROM_REQUEST = "the address comes from the request"


@dataclass(frozen=True)
class Upstream:
    """One address that requests are passed to: a host with a port, or a Unix socket. Neither if it is `unknown`."""

    host: str | None
    port: int | None
    path: str | None
    """of a Unix socket"""
    protocol: str
    """http, https, fastcgi, uwsgi, scgi, grpc, grpcs or memcached"""
    directive: Directive
    """where the address stands: the line of an `upstream` block, else the directive that passes"""
    passes: Directive
    """the directive that passes: proxy_pass, fastcgi_pass …"""
    parents: tuple[Directive, ...]
    """the blocks around that one"""
    block: Directive | None = None
    """the `upstream` block, if it goes through one"""
    by_variable: bool = False
    """nginx looks up the name at run time, with its `resolver`, unless it is an address or an `upstream` block"""
    unknown: str | None = None
    """why the configuration does not say the address"""

    @property
    def name(self) -> str:
        """Of the `upstream` block; empty if there is none. All its servers are one app."""
        return self.block.first if self.block is not None else ""


def find_upstreams(configuration: HasTree) -> list[Upstream]:
    """All addresses that some directive of the `http` block passes requests to, in the order of the directives."""
    values = find_values(configuration)
    blocks = {placed.directive.first: placed.directive for placed in walk(configuration) if is_upstream_block(placed)}
    return [
        upstream
        for placed in walk(configuration)
        if placed.directive.name in PASSES
        and placed.directive.args
        and any(parent.name == "http" for parent in placed.parents)
        for upstream in _upstreams_of(placed, blocks, values)
    ]


def is_upstream_block(placed: Placed) -> bool:
    """Whether it is an `upstream` block of HTTP."""
    return placed.directive.name == "upstream" and any(parent.name == "http" for parent in placed.parents)


def _upstreams_of(
    placed: Placed, blocks: dict[str, Directive], values: dict[str, tuple[str, ...]]
) -> Iterator[Upstream]:
    pass_, parents = placed
    by_variable = VARIABLE.search(_authority(pass_.first)[1]) is not None
    words = dict.fromkeys(expand(pass_.first, values) if by_variable else [pass_.first])
    for word in words:
        if word is None:
            yield Upstream(
                None, None, None, _protocol(pass_), pass_, pass_, parents, by_variable=True, unknown=FROM_REQUEST
            )
            continue
        scheme, authority = _authority(word)
        protocol = scheme or _protocol(pass_)
        block = blocks.get(authority)
        if block is None:
            yield _upstream(authority, protocol, pass_, pass_, parents, None, by_variable)
            continue
        for server in inside(block):
            if server.name == "server" and "down" not in server.args:
                yield _upstream(server.first, protocol, server, pass_, parents, block, False)


def _upstream(
    address: str,
    protocol: str,
    directive: Directive,
    pass_: Directive,
    parents: tuple[Directive, ...],
    block: Directive | None,
    by_variable: bool,
) -> Upstream:
    if address.startswith("unix:"):
        return Upstream(None, None, address.removeprefix("unix:"), protocol, directive, pass_, parents, block)
    parts = ADDRESS.match(address)
    if not address or parts is None:
        return Upstream(None, None, None, protocol, directive, pass_, parents, block, by_variable, "it has no address")
    port = int(parts["port"]) if parts["port"] else 80 if block is not None else DEFAULT_PORTS.get(protocol, 80)
    is_name = not re.fullmatch(r"[\d.]+|\[.*\]", parts["host"])
    return Upstream(
        parts["host"].strip("[]"), port, None, protocol, directive, pass_, parents, block, by_variable and is_name
    )


def _protocol(pass_: Directive) -> str:
    """What a directive speaks if its address does not say it."""
    return {"proxy_pass": "http"}.get(pass_.name, pass_.name.removesuffix("_pass"))


def _authority(word: str) -> tuple[str, str]:
    """The scheme, and what stands before the URI: a host with a port, a name, or a Unix socket.

    >>> _authority("https://app:8443/x/"), _authority("http://unix:/run/app.sock:/x"), _authority("php:9000")
    (('https', 'app:8443'), ('http', 'unix:/run/app.sock'), ('', 'php:9000'))
    """
    prefix = SCHEME.match(word)
    scheme, rest = (prefix[1].lower(), word[prefix.end() :]) if prefix else ("", word)
    if rest.startswith("unix:"):
        return scheme, "unix:" + rest.removeprefix("unix:").partition(":")[0]
    return scheme, rest.partition("/")[0] if scheme else rest
