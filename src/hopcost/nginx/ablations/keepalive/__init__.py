"""Connections to the app that stay open. Three things must hold together: `keepalive`, HTTP/1.1, no `Connection`.

Each closes the connection alone: no pool or one that is too small, HTTP/1.0, or a header `Connection` that says
`close`, with some apps also one that says `upgrade`. So they are one change.
"""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context
from hopcost.nginx.ablations.keepalive.connection_header import add_beside, connection_edits
from hopcost.nginx.ablations.keepalive.new_block import block_edits, needs_block
from hopcost.nginx.ablations.keepalive.pool import (
    is_too_small,
    outlives_the_app,
    pool_of,
    pool_size,
    speaks_http_1_1,
    timeout_edits,
    wanted_pool,
)
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.make import add_inside, set_argument, set_arguments
from hopcost.nginx.tree import Directive
from hopcost.nginx.upstreams import Upstream

METHODS = {"": ("proxy_pass", "grpc_pass"), "fastcgi-": ("fastcgi_pass",)}
HTTP = frozenset({"http", "https"})
BUYS = "connections to the app stay open"
BUYS_FASTCGI = "connections stay open; costs: each holds a process of PHP-FPM, and too few of them stop the site"


def find(context: Context) -> Iterator[Ablation]:
    """The trio where it lacks something, or else the file without it, so that one sees what it saves."""
    for prefix, methods in METHODS.items():
        yield from _find(context, prefix, methods)


def _find(context: Context, prefix: str, methods: tuple[str, ...]) -> Iterator[Ablation]:
    fitting = [
        upstream
        for upstream in context.site.upstreams
        if upstream.passes.name in methods
        and (upstream.block is not None or not (upstream.by_variable or upstream.unknown))
    ]
    edits = dict.fromkeys(edit for upstream in fitting for edit in keepalive_edits(context, upstream))
    blocks = [upstream.block for upstream in fitting if upstream.block is not None]
    pools = {id(pool): pool for block in blocks if (pool := pool_of(block)) is not None}
    if edits:
        yield context.make(
            f"{prefix}keepalive",
            _words(context, fitting),
            [_about(upstream) for upstream in fitting],
            edits,
            is_giant=True,
            is_offered=not prefix,
            receipt=Receipt.CONNECTIONS,
            unseen=_unseen(context),
            buys=BUYS_FASTCGI if prefix else BUYS,
        )
    elif pools:
        yield context.make(
            f"no-{prefix}keepalive",
            "no upstream keepalive",
            pools.values(),
            context.set_all(pools.values(), "0") if context.keeps_by_default else context.removed(pools.values()),
            is_giant=True,
            receipt=Receipt.CONNECTIONS,
            unseen=_unseen(context),
            buys=BUYS,
        )


def keepalive_edits(context: Context, upstream: Upstream) -> Iterator[Edit]:
    """All that one way to the app lacks; nothing if it keeps its connections."""
    if needs_block(context, upstream):
        yield from block_edits(context, upstream)
    elif upstream.block is not None:
        yield from _pool_edits(context, upstream.block)
    if upstream.protocol in HTTP and upstream.passes.name == "proxy_pass":
        if not speaks_http_1_1(context, upstream):
            yield _version_edit(context, upstream)
        yield from connection_edits(context, upstream)
    if upstream.passes.name == "fastcgi_pass":
        kept = context.in_effect("fastcgi_keep_conn", upstream.parents)
        if kept is None:
            yield add_beside(context, upstream, "fastcgi_keep_conn on;")
        elif kept.first != "on":
            yield set_arguments(kept, "on")


def _pool_edits(context: Context, block: Directive) -> Iterator[Edit]:
    """A pool that is large enough. One that kept none before gets its time-out with it: one that did is a trap."""
    if is_too_small(context, block):
        pool, size = pool_of(block), str(wanted_pool(context))
        if pool is not None:
            yield set_argument(pool, 0, size)
        else:
            yield add_inside(context.configuration, block, f"keepalive {size};")
        if pool_size(context, block) == 0 and outlives_the_app(context, block):
            yield from timeout_edits(context, block)


def _version_edit(context: Context, upstream: Upstream) -> Edit:
    version = context.in_effect("proxy_http_version", upstream.parents)
    if version is not None:
        return set_arguments(version, "1.1")
    return add_beside(context, upstream, "proxy_http_version 1.1;")


def _about(upstream: Upstream) -> Directive:
    pool = pool_of(upstream.block) if upstream.block is not None else None
    return pool or upstream.block or upstream.passes


def _words(context: Context, upstreams: list[Upstream]) -> str:
    blocks = [upstream.block for upstream in upstreams if upstream.block is not None]
    pools = {pool.first for block in blocks if (pool := pool_of(block)) is not None}
    if pools and any(is_too_small(context, block) for block in blocks):
        return f"upstream keepalive {'/'.join(sorted(pools))} → {wanted_pool(context)}"
    return "mend upstream keepalive" if pools else f"add upstream keepalive {wanted_pool(context)}"


def _unseen(context: Context) -> str | None:
    if not context.seen.is_from_upstream:
        return "this path never reaches the app; --path of one that does would show it"
    if context.seen.idle_timeout_s == 0:
        return "your app closes each connection itself, whatever nginx wants"
    return None
