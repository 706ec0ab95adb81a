"""What limits the load itself, and how it is switched off: a limit would be measured, and not the configuration."""

from __future__ import annotations

import msgspec

from hopcost.nginx.edits import Edit, Place
from hopcost.nginx.edits.make import place_of, remove, remove_argument
from hopcost.nginx.read.text import ConfigurationText
from hopcost.nginx.tree import Directive, walk

LIMITS = {
    "limit_req": "requests in a time",
    "limit_conn": "connections at a time",
    "limit_rate": "bytes in a second",
    "proxy_limit_rate": "bytes in a second from the app",
    "fastcgi_limit_rate": "bytes in a second from the app",
}


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One directive that limits the load, and the edits that take it away."""

    words: str
    place: Place
    edits: tuple[Edit, ...]


def find_limits(configuration: ConfigurationText) -> list[Limit]:
    """All limits of HTTP, and `max_conns` of upstreams. Zones stay: they cost nothing."""
    limits: dict[tuple[str, int], Limit] = {}
    for placed in walk(configuration):
        directive = placed.directive
        if not any(parent.name == "http" for parent in placed.parents):
            continue
        if directive.name in LIMITS and directive.first not in ("0", "off"):
            words = f"{directive}: limits {LIMITS[directive.name]}"
            limits[directive.file, directive.start] = _limit(
                configuration, directive, words, remove(configuration, directive)
            )
        elif directive.name == "set" and directive.first == "$limit_rate":
            words = f"{directive}: limits bytes in a second"
            limits[directive.file, directive.start] = _limit(
                configuration, directive, words, remove(configuration, directive)
            )
        elif directive.name == "server" and placed.parents[-1].name == "upstream":
            for index, word in enumerate(directive.args):
                if word.startswith("max_conns="):
                    words = f"{word} of {directive.first}: limits connections to the app"
                    edit = remove_argument(directive, index)
                    limits[directive.file, directive.start] = _limit(configuration, directive, words, edit)
    return list(limits.values())


def limits_off(configuration: ConfigurationText) -> list[Edit]:
    """The edits of all limits, to be laid into every arm."""
    return list(dict.fromkeys(edit for limit in find_limits(configuration) for edit in limit.edits))


def _limit(configuration: ConfigurationText, directive: Directive, words: str, edit: Edit) -> Limit:
    return Limit(words, place_of(configuration, directive), (edit,))
