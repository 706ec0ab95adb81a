"""Tokens of an nginx.conf, split as nginx splits them, each with its place in the text.

Offsets count characters. A token's text is as it stands in the file, without its outer quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from hopcost.errors import UsageError
from hopcost.nginx.tokens.lua import end_of_block

SPACES = " \t\r\n"  # nginx knows these four; a no-break space is part of a word
ENDS_A_WORD = re.compile(r"[ \t\r\n;{]")
BYTE_ORDER_MARK = "\ufeff"
QUOTES = "\"'"


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    QUOTED = "quoted"
    OPEN = "{"
    CLOSE = "}"
    END = ";"
    COMMENT = "comment"
    LUA = "lua"  # the whole block of a `…_by_lua_block`, braces included in its place and not in its text


class Token(NamedTuple):
    """`text[start:end]` of the file, which begins on `line` (from 1)."""

    kind: Kind
    text: str
    start: int
    end: int
    line: int

    @property
    def is_word(self) -> bool:
        """A name or an argument, quoted or not."""
        return self.kind in (Kind.WORD, Kind.QUOTED)


def split_tokens(text: str, file: str) -> Iterator[Token]:
    """All tokens of a file, comments too; UsageError with `file` and the line where nginx would refuse it.

    >>> [token.text for token in split_tokens("add_header X 'a b'; # note", "nginx.conf")]
    ['add_header', 'X', 'a b', ';', '# note']
    """
    if text.startswith(BYTE_ORDER_MARK):
        raise UsageError(
            f"{file}:1: the file begins with a byte order mark, which nginx takes for a part of the first word",
            "save it as UTF-8 without BOM",
        )
    words: list[str] = []  # of the directive that is open
    at, line = 0, 1
    while at < len(text):
        if text[at] in SPACES:
            line += text[at] == "\n"
            at += 1
            continue
        token = _token_at(text, at, line, file, words)
        yield token
        line += text.count("\n", token.start, token.end)
        at = token.end
        if token.is_word:
            words.append(token.text)
        elif token.kind is not Kind.COMMENT:
            words.clear()


def _token_at(text: str, at: int, line: int, file: str, words: list[str]) -> Token:
    character = text[at]
    if character == "#":
        end = text.find("\n", at)
        comment = text[at : end if end >= 0 else len(text)].rstrip("\r")
        return Token(Kind.COMMENT, comment, at, at + len(comment), line)
    if character == "{" and words and words[0].endswith("_by_lua_block"):
        close = end_of_block(text, at)
        if close is None:
            raise UsageError(f"{file}:{line}: the Lua block of '{words[0]}' has no end", "look for a missing '}'")
        return Token(Kind.LUA, text[at + 1 : close], at, close + 1, line)
    if character in "{};":
        return Token(Kind(character), character, at, at + 1, line)
    if character in QUOTES:
        return _quoted(text, at, line, file)
    return _word(text, at, line)


def _quoted(text: str, start: int, line: int, file: str) -> Token:
    """From a quote to the same quote. nginx wants a space, `;`, `{` or `)` after it."""
    quote, at = text[start], start + 1
    parts: list[str] = []
    while at < len(text) and text[at] != quote:
        if text[at] == "\\" and at + 1 < len(text):
            parts.append(quote if text[at + 1] == quote else text[at : at + 2])
            at += 2
        else:
            parts.append(text[at])
            at += 1
    if at >= len(text):
        raise UsageError(
            f"{file}:{line}: this quote ({quote}) is never closed", "close it, or write a backslash before it"
        )
    follows = text[at + 1 : at + 2]
    if follows not in ("", *SPACES, ";", "{", ")"):
        last = line + text.count("\n", start, at)
        raise UsageError(
            f"{file}:{last}: '{follows}' right after a closing quote ({quote})",
            "nginx wants a space or ';' there; is a quote inside of the text?",
        )
    return Token(Kind.QUOTED, "".join(parts), start, at + 1, line)


def _word(text: str, start: int, line: int) -> Token:
    """Up to a space, `;` or `{`. A backslash guards the next character, `${` opens no block."""
    at = start
    while at < len(text) and not ENDS_A_WORD.match(text, at):
        at += 2 if text[at] == "\\" or text.startswith("${", at) else 1
    at = min(at, len(text))
    return Token(Kind.WORD, text[start:at], start, at, line)
