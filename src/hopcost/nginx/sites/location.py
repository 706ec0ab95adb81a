"""Which location of a server answers a path, as nginx chooses it."""

from __future__ import annotations

import re

from hopcost.nginx.tree import Directive, inside

GROUP = re.compile(r"\(\?<(\w+)>")
MOST_HOPS = 4
PASS = re.compile(r"\w+_pass$")


def blocks_of_path(server: Directive, path: str) -> tuple[Directive, ...]:
    """The locations that a request for a path goes into, outermost first; where `try_files` ends, without a file.

    Empty if none matches: the server itself answers. Files that are there are not looked for.
    """
    plain = path.partition("?")[0]
    blocks = _match(server, plain)
    for _ in range(MOST_HOPS):
        block = blocks[-1] if blocks else server
        if any(PASS.match(directive.name) for directive in inside(block)):
            break
        goes_to = _end_of_try_files(block)
        if goes_to is None:
            break
        if goes_to.startswith("@"):
            named = tuple(block for block in inside(server) if block.name == "location" and block.args == (goes_to,))
            return named or blocks
        blocks = _match(server, goes_to)
    return blocks


def _match(block: Directive, path: str) -> tuple[Directive, ...]:
    """Exact ones first, then the longest prefix unless a pattern matches; inside of a prefix the same again."""
    locations = [line for line in inside(block) if line.name == "location" and line.args]
    prefix: Directive | None = None
    for location in locations:
        sign, word = _sign_and_word(location)
        if sign == "=" and word == path:
            return (location,)
        is_longer = prefix is None or len(word) > len(_sign_and_word(prefix)[1])
        if sign in ("", "^~") and path.startswith(word) and is_longer:
            prefix = location
    nested = _match(prefix, path) if prefix is not None else ()
    if nested and _sign_and_word(nested[-1])[0] in ("=", "~", "~*"):
        return (prefix, *nested) if prefix is not None else nested
    if prefix is None or _sign_and_word(prefix)[0] != "^~":
        for location in locations:
            sign, word = _sign_and_word(location)
            if sign in ("~", "~*") and _matches(word, path, ignores_case=sign == "~*"):
                return (location, *_match(location, path))
    return (prefix, *nested) if prefix is not None else ()


def _sign_and_word(location: Directive) -> tuple[str, str]:
    """`=`, `^~`, `~`, `~*` or nothing, which may stand right before the word.

    >>> from hopcost.nginx.tree import parse_file
    >>> [_sign_and_word(one) for one in parse_file("location = /a {} location ~*x {} location /b {}", "a")]
    [('=', '/a'), ('~*', 'x'), ('', '/b')]
    """
    if len(location.args) > 1:
        return location.args[0], location.args[1]
    word = location.first
    for sign in ("=", "^~", "~*", "~"):
        if word.startswith(sign):
            return sign, word.removeprefix(sign)
    return "", word


def _matches(pattern: str, path: str, *, ignores_case: bool) -> bool:
    try:
        return re.search(GROUP.sub(r"(?P<\1>", pattern), path, re.IGNORECASE if ignores_case else 0) is not None
    except re.error:
        return False


def _end_of_try_files(block: Directive) -> str | None:
    lines = [line for line in inside(block) if line.name == "try_files" and line.args]
    if not lines or lines[-1].args[-1].startswith("="):
        return None
    return re.split(r"[?$]", lines[-1].args[-1])[0] or None
