"""What a variable may stand for, as far as the configuration says: by `set`, `map` and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hopcost.nginx.tree import HasTree, inside, walk

VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
MAPS = frozenset({"map", "geo", "split_clients"})
OF_A_MAP = frozenset({"hostnames", "volatile", "include", "delete", "proxy", "ranges", "proxy_recursive"})
DEEPEST = 4
MOST = 64


def find_values(configuration: HasTree) -> dict[str, tuple[str, ...]]:
    """The values that the configuration gives to its own variables, in the order in which they stand.

    A variable of nginx's own, or one that comes from the request, has none.
    """
    values: dict[str, list[str]] = {}
    for directive, _ in walk(configuration):
        if directive.name == "set" and len(directive.args) == 2:
            values.setdefault(directive.args[0].lstrip("$"), []).append(directive.args[1])
        elif directive.name in MAPS and directive.args:
            lines = [line for line in inside(directive) if line.args and line.name not in OF_A_MAP]
            lines.sort(key=lambda line: line.name not in ("default", "*"))  # what most requests get comes first
            values.setdefault(directive.args[-1].lstrip("$"), []).extend(line.args[0] for line in lines)
    return {name: tuple(dict.fromkeys(all_)) for name, all_ in values.items()}


def expand(word: str, values: dict[str, tuple[str, ...]], depth: int = 0) -> Iterator[str | None]:
    """All that a word with variables may be; None for what only the request or nginx itself knows.

    >>> list(expand("http://$app/x", {"app": ("a:1", "$host")}))
    ['http://a:1/x', None]
    """
    variable = VARIABLE.search(word)
    if variable is None:
        yield word
        return
    known = values.get(variable[1] or variable[2])
    if known is None or depth > DEEPEST:
        yield None
        return
    for value in known[:MOST]:
        yield from expand(word[: variable.start()] + value + word[variable.end() :], values, depth + 1)
