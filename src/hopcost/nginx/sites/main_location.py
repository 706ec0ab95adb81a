"""Which of a server's upstreams gets most requests: that of `location /`, or where its `try_files` ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopcost.nginx.tree import Directive, inside
from hopcost.nginx.upstreams import Upstream

SCRIPTS = re.compile(r"\\\.php|index\\?\.php")


def in_order_of_use(server: Directive, upstreams: Sequence[Upstream]) -> list[Upstream]:
    """The upstreams of a server, the one that most requests go to first; else as they stand."""
    own = [upstream for upstream in upstreams if any(parent is server for parent in upstream.parents)]
    falls_to = _ends_of_try_files(server)
    return sorted(own, key=lambda upstream: _rank(upstream, falls_to))


def _rank(upstream: Upstream, falls_to: frozenset[str]) -> int:
    locations = [parent for parent in upstream.parents if parent.name == "location" and parent.args]
    if not locations or locations[-1].args in (("/",), ("^~", "/")):
        return 0
    location = locations[-1]
    if any(directive.name == "internal" for directive in inside(location)) and location.args[-1] not in falls_to:
        return 4
    if location.args[-1] in falls_to:
        return 1
    if location.first.startswith("~") and SCRIPTS.search(location.args[-1]):
        return 2
    return 4 if location.first == "=" else 3


def _ends_of_try_files(server: Directive) -> frozenset[str]:
    """Where `try_files` of the server and of `location /` end: `@app`, `/index.php?…`."""
    blocks = [server, *(block for block in inside(server) if block.name == "location" and block.args == ("/",))]
    words = [line.args[-1] for block in blocks for line in inside(block) if line.name == "try_files" and line.args]
    return frozenset(re.split(r"[?$]", word)[0] for word in words)
