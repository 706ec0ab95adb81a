"""After how long a site drops a connection that nobody uses."""

from __future__ import annotations

import re

from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.sites import Site
from hopcost.nginx.tree import walk

DEFAULT_S = 75.0
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def idle_timeout_s(configuration: ConfigurationText, site: Site) -> float | None:
    """The smallest `keepalive_timeout` that a client of the site can meet, in s; None if no connection is kept."""
    of_site: list[float] = []
    of_all: list[float] = []
    for directive, parents in walk(configuration):
        if directive.name != "keepalive_timeout" or any(parent.name == "upstream" for parent in parents):
            continue
        seconds = duration_s(directive.first)
        if seconds is not None:
            (of_site if any(parent is site.server for parent in parents) else of_all).append(seconds)
            if any(parent.name == "server" and parent is not site.server for parent in parents):
                of_all.pop()
    return min(of_site or of_all or [DEFAULT_S]) or None


def duration_s(word: str) -> float | None:
    """A time as nginx writes it, in s; None if it is none.

    >>> duration_s("65"), duration_s("1m 30s"), duration_s("500ms"), duration_s("on")
    (65.0, 90.0, 0.5, None)
    """
    parts = re.findall(r"(\d+)(ms|[smhdw])?", word)
    if not re.fullmatch(r"(?:\d+(?:ms|[smhdw])?\s*)+", word):
        return None
    return sum(int(number) * UNITS[unit or "s"] for number, unit in parts)
