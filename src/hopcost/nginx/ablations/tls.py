"""TLS: what a new connection costs. On connections that stay open, handshakes are nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context
from hopcost.nginx.edits.make import remove_argument, set_arguments
from hopcost.nginx.sites.listen import listens_of
from hopcost.nginx.tree import Directive, walk

CACHE = "shared:hopcost_tls:10m"
UNSEEN = "connections stay open in this load; --new-connections would show it"
HTTP2_OFF = "no-http2"  # its arm is asked over HTTP/1.1
NO_HTTP2 = "the load speaks HTTP/1.1; --http2 would show it"


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
    """`listen … http2` is a matter of the port: one server that has it has it for all others."""
    lines = [directive for directive, _ in context.all_of("http2") if directive.first == "on"]
    listens = [
        (listen.directive, listen.directive.args.index("http2"))
        for server, _ in walk(context.configuration)
        if server.name == "server" and server.block is not None
        for listen in listens_of(server)
        if listen.directive is not None and "http2" in listen.words and listen.port == context.site.port
    ]
    about: list[Directive] = [*lines, *(directive for directive, _ in listens)]
    if about:
        edits = context.set_all(lines, "off") + [remove_argument(directive, index) for directive, index in listens]
        yield context.make(
            HTTP2_OFF,
            "no HTTP/2",
            about,
            edits,
            receipt=Receipt.PROTOCOL,
            unseen=None if context.seen.streams is not None else NO_HTTP2,
            buys="many requests at a time on one connection",
        )
