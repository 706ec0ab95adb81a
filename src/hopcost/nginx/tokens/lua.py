"""Where a block of Lua ends: its braces are counted, but those in strings, long brackets and comments."""

from __future__ import annotations

import re

PIECE = re.compile(
    r"""
      --\[(?P<comment>=*)\[  # a long comment
    | --[^\n]*
    | \[(?P<bracket>=*)\[    # a long string
    | "(?:\\.|[^"\\])*"
    | '(?:\\.|[^'\\])*'
    | (?P<brace>[{}])
    """,
    re.VERBOSE | re.DOTALL,
)


def end_of_block(text: str, start: int) -> int | None:
    """The offset of the `}` that closes the `{` at `start`; None if there is none.

    >>> end_of_block("{ a = [[ } ]] }", 0)
    14
    """
    depth, at = 0, start
    while piece := PIECE.search(text, at):
        at = piece.end()
        level = piece["comment"] if piece["comment"] is not None else piece["bracket"]
        if level is not None:
            closing = f"]{level}]"
            end = text.find(closing, at)
            if end < 0:
                return None
            at = end + len(closing)
        elif piece["brace"]:
            depth += 1 if piece["brace"] == "{" else -1
            if depth == 0:
                return piece.start()
    return None
