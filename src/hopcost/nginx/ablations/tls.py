"""TLS: what a new connection costs. On connections that stay open, handshakes are nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context
from hopcost.nginx.edits.make import remove_argument, set_arguments
from hopcost.nginx.tree import Directive

CACHE = "shared:hopcost_tls:10m"
UNSEEN = "connections stay open in this load; --new-connections would show it"
NO_HTTP2 = "hopcost's load speaks HTTP/1.1: nothing here shows what HTTP/2 costs"


def find(context: Context) -> Iterator[Ablation]:
    """Resumption of sessions, by cache and by ticket, and HTTP/2."""
    if not context.site.is_tls:
        return
    unseen = None if context.seen.opens_connections else UNSEEN
    cache = context.in_effect("ssl_session_cache")
    if cache is None or not any(word.startswith("shared:") for word in cache.args):
        yield context.make(
            "ssl-session-cache",
            "add ssl_session_cache" if cache is None else f"ssl_session_cache {' '.join(cache.args)} → shared",
            [cache or context.site.server],
            context.added(f"ssl_session_cache {CACHE};") if cache is None else [set_arguments(cache, CACHE)],
            is_offered=True,
            receipt=Receipt.SESSIONS,
            unseen=unseen,
            buys="costs: memory, 10 MB for 40,000 sessions",
        )
    tickets = context.in_effect("ssl_session_tickets")
    if tickets is not None and tickets.first == "off":
        yield context.make(
            "ssl-session-tickets",
            "ssl_session_tickets on",
            [tickets],
            [set_arguments(tickets, "on")],
            receipt=Receipt.SESSIONS,
            unseen=unseen,
            buys="a stolen ticket key opens no old sessions",
        )
    yield from _http2(context)


def _http2(context: Context) -> Iterator[Ablation]:
    lines = [directive for directive, _ in context.all_of("http2") if directive.first == "on"]
    listens = [
        (directive, directive.args.index("http2"))
        for directive, _ in context.all_of("listen")
        if "http2" in directive.args[1:]
    ]
    about: list[Directive] = [*lines, *(directive for directive, _ in listens)]
    if about:
        edits = context.set_all(lines, "off") + [remove_argument(directive, index) for directive, index in listens]
        yield context.make(
            "no-http2", "no HTTP/2", about, edits, unseen=NO_HTTP2, buys="many requests on one connection"
        )
