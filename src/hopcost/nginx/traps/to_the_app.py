"""Traps on the way to the app: connections that close though they should stay, or stay too long."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.context import Context
from hopcost.nginx.ablations.keepalive import keepalive_edits
from hopcost.nginx.ablations.keepalive.connection_header import always_upgrades, closing_line, connection_header
from hopcost.nginx.ablations.keepalive.new_block import needs_block
from hopcost.nginx.ablations.keepalive.pool import (
    TIMEOUT_SINCE,
    idle_limit_s,
    is_too_small,
    outlives_the_app,
    pool_of,
    pool_size,
    speaks_http_1_1,
    timeout_edits,
    timeouts_of,
    wanted_timeout,
)
from hopcost.nginx.edits.make import place_of
from hopcost.nginx.traps.trap import Bite, Trap
from hopcost.nginx.tree import Directive, inside
from hopcost.nginx.upstreams import Upstream

METHODS = frozenset({"least_conn", "ip_hash", "hash", "random", "least_time"})
AFTER_UPGRADE = {
    None: "some apps close its connection then",
    True: "yours keeps its connection all the same, other apps close it",
    False: "yours closes its connection then",
}


def find(context: Context) -> Iterator[Trap]:
    """Traps of all ways to the app, in the order in which the ways stand."""
    for upstream in context.site.upstreams:
        if upstream.passes.name == "proxy_pass":
            yield from _of_address(context, upstream)
            yield from _of_protocol(context, upstream)
    blocks = [upstream.block for upstream in context.site.upstreams if upstream.block is not None]
    for block in {id(block): block for block in blocks}.values():
        yield from _of_block(context, block)


def _trap(context: Context, name: str, directive: Directive, words: str, upstream: Upstream | None) -> Trap:
    """One that only costs CPU time; what mends it is all that keeps connections."""
    edits = tuple(dict.fromkeys(keepalive_edits(context, upstream))) if upstream is not None else ()
    return Trap(name, place_of(context.configuration, directive), words, edits or None)


def _of_address(context: Context, upstream: Upstream) -> Iterator[Trap]:
    if upstream.by_variable or upstream.unknown is not None:
        words = "the address is a variable: nginx keeps no connection to it, and looks up the name while requests wait"
        yield _trap(context, "address-by-variable", upstream.passes, words, None)
    elif needs_block(context, upstream):
        words = (
            "no upstream keepalive: each request opens a connection to the app; only an upstream block can keep them"
        )
        yield _trap(context, "no-upstream-keepalive", upstream.passes, words, upstream)
    elif upstream.block is not None and pool_size(context, upstream.block) == 0:
        words = (
            f"no upstream keepalive: each request opens a connection to the app; 'upstream {upstream.name}' lacks it"
        )
        yield _trap(context, "no-upstream-keepalive", upstream.block, words, upstream)


def _of_protocol(context: Context, upstream: Upstream) -> Iterator[Trap]:
    header = connection_header(upstream.parents)
    value = header.args[1] if header is not None and len(header.args) > 1 else ""
    if header is not None and always_upgrades(header):
        after = AFTER_UPGRADE[context.seen.keeps_when_upgrading]
        words = f"every request asks the app for a WebSocket, and {after}; a map can ask only when a client does"
        yield _trap(context, "always-upgrade", header, words, upstream)
    line = closing_line(context, value) if value.startswith("$") else None
    if line is not None:
        words = (
            f"{value} says 'close' to the app with every plain request: no connection is kept; '' instead keeps them"
        )
        yield _trap(context, "map-closes", line, words, upstream)
    if header is not None and value.lower() == "close":
        yield _trap(context, "says-close", header, 'the app is told to close each connection; "" keeps them', upstream)
    if upstream.block is None or pool_size(context, upstream.block) == 0:
        return
    if not speaks_http_1_1(context, upstream):
        words = (
            "HTTP/1.0 to the app closes each connection, whatever 'keepalive' says; proxy_http_version 1.1 keeps them"
        )
        yield _trap(context, "proxy-http-1-0", upstream.passes, words, upstream)
    elif header is None and not context.keeps_by_default:
        words = (
            "nginx says 'Connection: close' to the app as long as nothing else is set; proxy_set_header Connection \"\""
        )
        yield _trap(context, "says-close", upstream.passes, words, upstream)


def _of_block(context: Context, block: Directive) -> Iterator[Trap]:
    pool = pool_of(block)
    way = next(upstream for upstream in context.site.upstreams if upstream.block is block)
    seen = context.seen
    many = f"{seen.connections} connections" if seen.streams in (None, 1) else f"{seen.at_once} requests at a time"
    if pool is not None and pool_size(context, block) > 0 and is_too_small(context, block):
        words = f"keepalive {pool.first} for {many}: the others are opened and closed with each request"
        yield _trap(context, "keepalive-too-small", pool, words, way)
    if pool_size(context, block) > 0 and outlives_the_app(context, block):
        limit = wanted_timeout(context)
        cure = f"keepalive_timeout {limit}" if limit else f"nginx {'.'.join(map(str, TIMEOUT_SINCE))} can close earlier"
        words = (
            f"nginx keeps idle connections for {idle_limit_s(block):g} s, your app closes them after "
            f"{seen.idle_timeout_s:g} s: now and then a request meets a closing one and fails with 502; {cure}"
        )
        place = place_of(context.configuration, (timeouts_of(block) or [pool or block])[-1])
        edits = tuple(timeout_edits(context, block)) or None
        yield Trap("keepalive-outlives-app", place, words, edits, Bite.FAILS)
    methods = [line for line in inside(block) if line.name in METHODS]
    if pool is not None and any((method.file, method.start) > (pool.file, pool.start) for method in methods):
        words = f"'{methods[-1].name}' must stand before 'keepalive': the later one takes the place of the other"
        place = place_of(context.configuration, pool)
        yield Trap("keepalive-before-method", place, words, bite=Bite.MISLEADS)
