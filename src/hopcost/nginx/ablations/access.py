"""Who may pass: subrequests, passwords, rules and Lua before the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context, on
from hopcost.nginx.sites.location import blocks_of_path
from hopcost.nginx.tree import Directive

HANDLER = re.compile(r"(?:access|rewrite|header_filter|body_filter|log)_by_lua(?:_block|_file)?$")


def find(context: Context) -> Iterator[Ablation]:
    """Each of them off. None is offered: they are there for a reason."""
    asks = on(context.all_of("auth_request"))
    if asks:
        yield context.make(
            "auth-request-off",
            "auth_request off",
            asks,
            context.set_all(asks, "off"),
            is_giant=True,
            receipt=Receipt.SUBREQUESTS if _asks_over_tcp(context, asks) else Receipt.NONE,
            buys="each request is allowed by another service",
        )
    passwords = on(context.all_of("auth_basic"))
    if passwords:
        yield context.make(
            "auth-basic-off",
            "auth_basic off",
            passwords,
            context.set_all(passwords, "off"),
            is_giant=True,
            receipt=Receipt.LOGIN,
            buys="a password; the kind of its hash decides what it costs",
        )
    rules = on(context.all_of("modsecurity"))
    if rules:
        yield context.make(
            "modsecurity-off",
            "modsecurity off",
            rules,
            context.set_all(rules, "off"),
            is_giant=True,
            buys="rules against attacks",
        )
    handlers = [directive for directive, _ in context.reaching if HANDLER.match(directive.name)]
    if handlers:
        names = ", ".join(dict.fromkeys(handler.name for handler in handlers))
        yield context.make("no-lua", f"no {names}", handlers, context.removed(handlers), buys="what the handler does")


def _asks_over_tcp(context: Context, lines: Sequence[Directive]) -> bool:
    """Whether the subrequests leave nginx, and not over a Unix socket: what `return` answers sends no packets."""
    asked = {id(block) for line in lines for block in blocks_of_path(context.site.server, line.first)}
    return any(
        upstream.path is None and upstream.unknown is None and any(id(block) in asked for block in upstream.parents)
        for upstream in context.site.upstreams
    )
