"""The header `Connection` that nginx sends to the app: after `close` no connection stays open.

After a fixed `upgrade` it depends on the app: Node 20, Go 1.26, fasthttp and uvicorn keep the connection, actix-web
closes it. Where WebSockets are let through, a map decides by the request, and says nothing at all for all others.
"""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.context import Context
from hopcost.nginx.ablations.keepalive.new_block import host_it_got, lines_beside, needs_block
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.make import add_after, add_before, add_inside, set_argument
from hopcost.nginx.tree import Directive, inside, walk
from hopcost.nginx.upstreams import Upstream

MAP = "map $http_upgrade $NAME {\n    default upgrade;\n    ''      '';\n}\n"
CONDITIONS = frozenset({"if", "limit_except"})
OF_UPGRADES = "connection_upgrade"


def header_block(chain: tuple[Directive, ...]) -> tuple[Directive | None, list[Directive]]:
    """The `proxy_set_header` lines in effect: those of the innermost block that has any; the outer ones are lost."""
    for block in reversed(chain):
        own = [directive for directive in inside(block) if directive.name == "proxy_set_header"]
        if own:
            return block, own
    return None, []


def connection_header(chain: tuple[Directive, ...]) -> Directive | None:
    """The one of them that says `Connection`."""
    lines = [line for line in header_block(chain)[1] if line.first.lower() == "connection"]
    return lines[-1] if lines else None


def closing_line(context: Context, variable: str) -> Directive | None:
    """The line of a map by which requests that upgrade nothing say `close`."""
    name = variable.strip("${}")
    for directive, _ in walk(context.configuration):
        if directive.name == "map" and directive.args and directive.args[-1].lstrip("$") == name:
            for line in inside(directive):
                if line.name in ("", "default") and line.first.lower() == "close":
                    return line
    return None


def always_upgrades(header: Directive) -> bool:
    """Whether it says `upgrade` to the app with every request."""
    return len(header.args) > 1 and header.args[1].lower() == "upgrade"


def connection_edits(context: Context, upstream: Upstream) -> Iterator[Edit]:
    """What makes the header say nothing, except where the request upgrades the protocol."""
    header = connection_header(upstream.parents)
    if header is None:
        yield from _added(context, upstream)
        return
    value = header.args[1] if len(header.args) > 1 else ""
    if always_upgrades(header):
        name, map_edits = _map_of_upgrades(context)
        yield from map_edits
        yield set_argument(header, 1, f"${name}")
    elif value.lower() == "close" or value == "$http_connection":
        yield set_argument(header, 1, '""')
    elif value.startswith("$") and (line := closing_line(context, value)) is not None:
        yield set_argument(line, 0, "''")


def add_beside(context: Context, upstream: Upstream, line: str) -> Edit:
    """A directive more beside the one that passes, or outside of the `if` around that: most are not allowed there."""
    if upstream.parents[-1].name in CONDITIONS:
        return add_inside(context.configuration, _block_around(upstream), line)
    return add_after(context.configuration, upstream.passes, line)


def _block_around(upstream: Upstream) -> Directive:
    return next(block for block in reversed(upstream.parents) if block.name not in CONDITIONS)


def _added(context: Context, upstream: Upstream) -> Iterator[Edit]:
    """The header in the block whose lines are in effect: elsewhere it would take their place."""
    block, lines = header_block(upstream.parents)
    new = []
    if needs_block(context, upstream) and not any(line.first.lower() == "host" for line in lines):
        new.append(f"proxy_set_header Host {host_it_got(upstream)};")
        yield from (add_beside(context, upstream, line) for line in lines_beside(context, upstream))
    if not context.keeps_by_default:
        new.append('proxy_set_header Connection "";')
    for line in new:
        if block is None or block is _block_around(upstream):
            yield add_beside(context, upstream, line)
        elif lines[-1].file in context.configuration.paths:
            yield add_after(context.configuration, lines[-1], line)
        else:
            yield add_inside(context.configuration, block, line)


def _map_of_upgrades(context: Context) -> tuple[str, list[Edit]]:
    """A map's variable that says `upgrade` or nothing, and the edits that make it so."""
    maps = [directive for directive, _ in walk(context.configuration) if directive.name == "map"]
    for directive in maps:
        if directive.first == "$http_upgrade" and len(directive.args) == 2:
            name = directive.args[1].lstrip("$")
            line = closing_line(context, name)
            return name, [set_argument(line, 0, "''")] if line is not None else []
    taken = {directive.args[-1].lstrip("$") for directive in maps if directive.args}
    name = OF_UPGRADES if OF_UPGRADES not in taken else "hopcost_upgrade"
    return name, [add_before(context.configuration, context.site.server, MAP.replace("NAME", name))]
