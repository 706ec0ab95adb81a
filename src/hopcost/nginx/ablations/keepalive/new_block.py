"""An `upstream` block for an address that `proxy_pass` names literally: only there connections can be kept."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.context import Context
from hopcost.nginx.ablations.keepalive.pool import is_too_small, wanted_pool, wanted_timeout
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.make import add_before
from hopcost.nginx.tree import walk
from hopcost.nginx.upstreams import Upstream


def needs_block(context: Context, upstream: Upstream) -> bool:
    """Whether the address stands alone, and nginx does not keep its connections by itself."""
    return upstream.block is None and is_too_small(context, None)


def block_edits(context: Context, upstream: Upstream) -> Iterator[Edit]:
    """The block before the server, and its name in the place of the address. The URI after the address stays."""
    name = _name_of_block(context, upstream)
    limit = wanted_timeout(context)
    timeout = f"\n    keepalive_timeout {limit};" if limit else ""
    server = next(parent for parent in upstream.parents if parent.name == "server")
    address = f"unix:{upstream.path}" if upstream.path else _host_and_port(upstream)
    block = f"upstream {name} {{\n    server {address};\n    keepalive {wanted_pool(context)};{timeout}\n}}\n"
    yield add_before(context.configuration, server, block)
    file, word = upstream.passes.file, upstream.passes.words[1]
    text = context.configuration.files[file]
    old = f"unix:{upstream.path}" if upstream.path else written_address(word.text)
    at = text.index(old, word.start)
    end = at + len(old)
    if upstream.path and text[end : end + 1] == ":":
        end += 1  # http://unix:/run/app.sock:/uri
    yield Edit(file, at, end, name)


def lines_beside(context: Context, upstream: Upstream) -> Iterator[str]:
    """What kept its meaning by the address, and gets it from these lines now that a name stands there."""
    if upstream.path:
        return
    host = written_address(upstream.passes.first)
    if upstream.protocol == "https" and context.in_effect("proxy_ssl_name", upstream.parents) is None:
        yield f"proxy_ssl_name {upstream.host};"
    if context.in_effect("proxy_redirect", upstream.parents) is None:
        scheme, _, rest = upstream.passes.first.partition("://")
        uri = rest.partition("/")[1] + rest.partition("/")[2]
        location = upstream.parents[-1].first
        if uri and location.startswith("/"):
            yield f"proxy_redirect {scheme}://{host}{uri} {location};"
        else:
            yield f"proxy_redirect {scheme}://{host}/ /;"


def host_it_got(upstream: Upstream) -> str:
    """What the app gets as `Host` as long as nothing sets it: the new block's name would take its place."""
    return "localhost" if upstream.path else written_address(upstream.passes.first)


def written_address(word: str) -> str:
    """The host and port of a `proxy_pass` as they are written.

    >>> written_address("http://app:3000/x"), written_address("php:9000")
    ('app:3000', 'php:9000')
    """
    return word.partition("://")[2].partition("/")[0] if "://" in word else word


def _host_and_port(upstream: Upstream) -> str:
    host = f"[{upstream.host}]" if ":" in (upstream.host or "") else upstream.host
    return f"{host}:{upstream.port}"


def _name_of_block(context: Context, upstream: Upstream) -> str:
    """One name for one address, so that all its locations share the block."""
    plain = (upstream.path or f"{upstream.host}_{upstream.port}").strip("/")
    name = "kept_" + "".join(character if character.isalnum() else "_" for character in plain)
    taken = {directive.first for directive, _ in walk(context.configuration) if directive.name == "upstream"}
    return name if name not in taken else f"{name}_by_hopcost"
