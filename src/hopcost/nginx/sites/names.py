"""Names of servers: which host a request must name, and which server answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence

FILLED_IN = "www"
GROUP = re.compile(r"\(\?P?<(\w+)>")
MANY = r"(?:\.[+*]|\\[wd]\+|\[[^\]]*\]\+)\??"


def host_for(name: str) -> str | None:
    """A host that matches a `server_name`; None if it names none.

    >>> [host_for(name) for name in (".example.com", "*.example.com", "www.example.*", "_", "", "$hostname")]
    ['example.com', 'www.example.com', 'www.example.com', None, None, None]
    >>> host_for(r"~^(?<user>.+)\\.example\\.com$")
    'www.example.com'
    """
    if name.startswith("~"):
        return _host_of_pattern(name[1:])
    if name in ("", "_") or "$" in name:
        return None
    if name.startswith("."):
        return name[1:]
    return name.replace("*.", f"{FILLED_IN}.", 1) if name.startswith("*.") else re.sub(r"\.\*$", ".com", name)


def match_rank(name: str, host: str) -> tuple[int, int] | None:
    """How well a `server_name` fits a host, as nginx ranks them: higher first. None if it does not fit."""
    host, plain = host.lower(), name.lower()
    if name.startswith("~"):
        pattern = _compiled(name[1:])
        return (1, 0) if pattern and pattern.search(host) else None
    if plain.startswith("."):
        if host == plain[1:]:
            return (4, 0)
        return (3, len(plain)) if host.endswith(plain) else None
    if plain.startswith("*."):
        return (3, len(plain)) if host.endswith(plain[1:]) and host != plain[1:] else None
    if plain.endswith(".*"):
        return (2, len(plain)) if host.startswith(plain[:-1]) else None
    return (4, 0) if host == plain else None


def best_match(names: Sequence[Sequence[str]], host: str) -> int | None:
    """Which of several servers, each with its names, answers a host; None if the default server does."""
    best: tuple[tuple[int, int], int] | None = None
    for index, own in enumerate(names):
        for name in own:
            rank = match_rank(name, host)
            if rank is not None and (best is None or rank > best[0]):
                best = (rank, index)
    return best[1] if best else None


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(GROUP.sub(r"(?P<\1>", pattern), re.IGNORECASE)
    except re.error:
        return None


def _host_of_pattern(pattern: str) -> str | None:
    """A host that a pattern matches: what may be anything becomes `www`. None if that does not work out."""
    compiled = _compiled(pattern)
    plain = GROUP.sub("(", pattern).replace("(?:", "(")
    plain = re.sub(rf"\(({MANY}|[^()|]*)(?:\|[^()]*)?\)\??", r"\1", plain)
    plain = re.sub(MANY, FILLED_IN, plain)
    host = plain.removeprefix("^").removesuffix("$").replace("\\.", ".").replace("\\-", "-")
    if compiled is None or not re.fullmatch(r"[A-Za-z0-9._-]+", host):
        return None
    return host if compiled.search(host) else None
