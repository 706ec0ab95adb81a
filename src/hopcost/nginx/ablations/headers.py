"""Header fields that nginx adds, for the app and for the client."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context
from hopcost.nginx.tree import Directive

KEPT = frozenset({"host", "connection", "upgrade", "authorization", "content-length", "cookie", "x-forwarded-proto"})
SETS = ("proxy_set_header", "grpc_set_header")
RANDOM = "$request_id"
NO_APP = "this path asks no app; --path of one that does would show it"


def find(context: Context) -> Iterator[Ablation]:
    """`$request_id`, plain fields to the app, fields to the client, and the client's address by a header."""
    unseen = None if context.seen.is_from_upstream else NO_APP
    sets = [directive for directive, _ in context.all_of(*SETS)]
    random = [line for line in sets if any(RANDOM in word for word in line.args[1:])]
    if random:
        yield context.make(
            "no-request-id",
            f"no {RANDOM} to the app",
            random,
            context.removed(random),
            receipt=Receipt.REQUEST,
            unseen=unseen,
            buys="a request can be followed through the logs",
        )
    plain = [line for line in sets if line not in random and _can_go(line)]
    if plain:
        yield context.make(
            "no-proxy-headers",
            "no X- headers to the app",
            plain,
            context.removed(plain),
            receipt=Receipt.REQUEST,
            unseen=unseen,
            buys="the app knows the client's address",
        )
    adds = [directive for directive, _ in context.all_of("add_header", "more_set_headers", "more_clear_headers")]
    if adds:
        yield context.make(
            "no-add-header",
            "no headers added to answers",
            adds,
            context.removed(adds),
            receipt=Receipt.HEADER,
            buys="rules for browsers",
        )
    real = [directive for directive, _ in context.all_of("set_real_ip_from", "real_ip_header", "real_ip_recursive")]
    if real:
        yield context.make(
            "no-real-ip",
            "no real_ip",
            real,
            context.removed(real),
            buys="logs and limits see the client, not the balancer",
        )


def _can_go(line: Directive) -> bool:
    """Host and what the protocol is made of stay; the answer would be another one."""
    return line.first.lower() not in KEPT and len(line.args) > 1 and line.args[1] != ""
