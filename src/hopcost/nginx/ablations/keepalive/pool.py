"""How many connections to the app nginx keeps, and how long: as it is, and as this load wants it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hopcost.nginx.ablations.context import Context, seconds
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.make import add_inside, set_arguments
from hopcost.nginx.tree import Directive, inside
from hopcost.nginx.upstreams import Upstream

LEAST = 64
TIMEOUT_SINCE = (1, 15, 3)  # `keepalive_timeout` of an upstream
DEFAULT_POOL = 32
DEFAULT_TIMEOUT_S = 60.0


def pool_of(block: Directive) -> Directive | None:
    """The `keepalive` of an upstream block."""
    return next((directive for directive in inside(block) if directive.name == "keepalive"), None)


def pool_size(context: Context, block: Directive | None) -> int:
    """How many idle connections all workers keep. Without a block none are kept, before 1.29.7."""
    pool = pool_of(block) if block is not None else None
    default = DEFAULT_POOL if context.keeps_by_default else 0
    return (int(pool.first) if pool is not None and pool.first.isdigit() else default) * context.workers


def is_too_small(context: Context, block: Directive | None) -> bool:
    """Whether the load has more requests at a time than connections are kept."""
    return pool_size(context, block) < context.seen.at_once


def timeouts_of(block: Directive) -> list[Directive]:
    """Its lines `keepalive_timeout`; the last one is in effect."""
    return [line for line in inside(block) if line.name == "keepalive_timeout"]


def idle_limit_s(block: Directive | None) -> float:
    """How long nginx keeps an idle connection to the app."""
    lines = timeouts_of(block) if block is not None else []
    timeout_s = seconds(lines[-1].first) if lines else None
    return DEFAULT_TIMEOUT_S if timeout_s is None else timeout_s


def outlives_the_app(context: Context, block: Directive | None) -> bool:
    """Whether nginx may send a request on a connection that the app is just closing."""
    idle = context.seen.idle_timeout_s
    return idle is not None and 0 < idle <= idle_limit_s(block)


def wanted_pool(context: Context) -> int:
    """Connections to keep by each worker: one for each of the load's requests at a time, and not few."""
    return max(LEAST, 1 << (context.seen.at_once - 1).bit_length())


def wanted_timeout(context: Context) -> str | None:
    """Below the app's own idle time-out, so that nginx closes first; None if nothing is known, or it cannot be said."""
    idle = context.seen.idle_timeout_s
    if idle is None or idle <= 0 or context.version < TIMEOUT_SINCE:
        return None
    return f"{math.ceil(idle) - 1}s" if idle > 1 else f"{max(1, int(idle * 500))}ms"


def timeout_edits(context: Context, block: Directive) -> Iterator[Edit]:
    """What makes nginx close an idle connection before the app does; nothing if that cannot be said."""
    limit, lines = wanted_timeout(context), timeouts_of(block)
    if limit is not None and lines:
        yield set_arguments(lines[-1], limit)
    elif limit is not None:
        yield add_inside(context.configuration, block, f"keepalive_timeout {limit};")


def speaks_http_1_1(context: Context, upstream: Upstream) -> bool:
    """Whether `proxy_http_version` lets a connection stay."""
    version = context.in_effect("proxy_http_version", upstream.parents)
    if version is None:
        return context.keeps_by_default
    return version.first != "1.0"
