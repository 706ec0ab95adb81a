"""Processes and connections of nginx itself."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context, on, seconds
from hopcost.nginx.edits.make import append_argument, set_arguments

NEW_CONNECTIONS = "connections stay open in this load; --new-connections would show it"
REQUESTS_SINCE = (1, 19, 10)  # keepalive_requests is 1000 from then on, 100 before
MANY_REQUESTS = 1000


def find(context: Context) -> Iterator[Ablation]:
    """Connections of clients that stay open, and how workers share new ones."""
    yield from _client_connections(context)
    unseen = None if context.seen.opens_connections else NEW_CONNECTIONS
    for name in ("multi_accept", "accept_mutex"):
        lines = on(context.all_of(name))
        if lines:
            yield context.make(
                f"no-{name.replace('_', '-')}",
                f"{name} off",
                lines,
                context.set_all(lines, "off"),
                is_offered=True,
                unseen=unseen,
                buys="nothing on one core" if context.workers == 1 else "fewer wake-ups for many new connections",
            )
    listen = context.site.listen.directive
    if listen is not None and context.workers > 1 and "reuseport" not in listen.args:
        yield context.make(
            "reuseport",
            "listen … reuseport",
            [listen],
            [append_argument(listen, "reuseport")],
            is_offered=True,
            receipt=Receipt.LISTENING,
            unseen=unseen,
            buys="costs: a worker that restarts drops connections that wait for it",
        )


def _client_connections(context: Context) -> Iterator[Ablation]:
    timeout = context.in_effect("keepalive_timeout")
    if timeout is not None and seconds(timeout.first) == 0:
        yield context.make(
            "client-keepalive",
            "keepalive_timeout 0 → 75s",
            [timeout],
            [set_arguments(timeout, "75s")],
            is_giant=True,
            is_offered=True,
            receipt=Receipt.CLIENT_CONNECTIONS,
            buys="clients hold no connection open",
        )
    requests = context.in_effect("keepalive_requests")
    default = MANY_REQUESTS if context.version >= REQUESTS_SINCE else 100
    most = int(requests.first) if requests is not None and requests.first.isdigit() else default
    if most < MANY_REQUESTS:
        seen = context.seen.requests_per_connection
        yield context.make(
            "keepalive-requests",
            f"keepalive_requests {most} → {MANY_REQUESTS}",
            [requests or context.site.server],
            [set_arguments(requests, str(MANY_REQUESTS))]
            if requests is not None
            else context.added(f"keepalive_requests {MANY_REQUESTS};"),
            is_offered=True,
            unseen=None
            if seen is None or seen > most
            else "each connection has few requests in this load; without --new-connections they have many",
            buys="costs nothing: memory of a connection is freed later",
        )
