"""Where passwords, tokens and keys stand in a configuration, so that nobody prints them.

Which names have secret values in any text is the business of `record.secrets`; here it is what only nginx's own
syntax shows: the second argument of a header, the left side of a map, a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from hopcost.nginx.tokens import Kind, Token
from hopcost.nginx.tree import Directive, HasTree, walk

MASK = "(masked)"
LONG_ENOUGH = 3  # characters: a shorter value is found in words that are none
NAMES_ITS_FIRST = frozenset(
    {"proxy_set_header", "grpc_set_header", "add_header", "more_set_headers", "more_set_input_headers", "set"}
    | {"fastcgi_param", "uwsgi_param", "scgi_param", "auth_request_set"}
)
ALWAYS = frozenset({"secure_link_secret", "secure_link_md5", "set_encrypt_session_key", "encrypted_session_key"})
SECRET_NAME = re.compile(r"(?i)authorization|cookie|passw|secret|credential|token$|(?:api|auth|access)[-_]?key|x-auth")
HARMLESS = re.compile(r"(?:\$\{?\w+\}?|\s|[;:,=]|off|on|HttpOnly|Secure|SameSite=\w+|Path=/)*$")
SCHEME = re.compile(r"(?i)(?:basic|bearer|token|digest)\s+")
USER_IN_URL = re.compile(r"://(?P<secret>[^/@\s$]+)@")


class HasFiles(HasTree, Protocol):
    """A configuration with its texts."""

    @property
    def files(self) -> Mapping[str, str]:
        """Texts by nginx's paths."""


class Span(NamedTuple):
    """`text[start:end]` of a file is a secret. The quotes around it are not in it."""

    file: str
    start: int
    end: int


def find_secrets(configuration: HasTree) -> list[Span]:
    """All of them, in the order in which they stand, each once."""
    secrets = dict.fromkeys(
        span for directive, parents in walk(configuration) for span in _secrets_of(directive, parents)
    )
    return sorted(secrets)


def masked(text: str, file: str, spans: list[Span]) -> str:
    """A file's text without its secrets. Its lines stay as they are."""
    for span in sorted(spans, reverse=True):
        if span.file == file:
            text = text[: span.start] + MASK + text[span.end :]
    return text


def hide_secrets(configuration: HasFiles, text: str) -> str:
    """Any text about a configuration, such as a diff or what nginx says of it, without the configuration's secrets."""
    values = {configuration.files[span.file][span.start : span.end] for span in find_secrets(configuration)}
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= LONG_ENOUGH:
            text = text.replace(value, MASK)
    return text


def _secrets_of(directive: Directive, parents: tuple[Directive, ...]) -> Iterator[Span]:
    words = directive.words
    for word in words[1:]:
        for url in USER_IN_URL.finditer(word.text):
            inner = _inside(word)
            start = inner[0] + url.start("secret")
            yield Span(directive.file, start, start + len(url["secret"]))
    if directive.name in ALWAYS and len(words) > 1:
        yield from _span(directive, words[1])
    if directive.name in NAMES_ITS_FIRST and len(words) > 2 and SECRET_NAME.search(words[1].text):
        yield from _span(directive, words[2])
    if parents and parents[-1].name == "map" and SECRET_NAME.search(parents[-1].first):
        yield from _span(directive, words[0], is_key=True)
    if directive.name == "if" and len(words) > 3 and SECRET_NAME.search(words[1].text):
        yield from _span(directive, words[3])


def _span(directive: Directive, word: Token, *, is_key: bool = False) -> Iterator[Span]:
    """A word without its quotes, and without `Basic ` before it. Nothing if it holds no secret."""
    text = word.text.rstrip(")") if directive.name == "if" else word.text
    if not text or HARMLESS.match(text) or (is_key and text in ("default", "include", "hostnames", "volatile")):
        return
    start, _ = _inside(word)
    scheme = SCHEME.match(text)
    length = len(text) if word.kind is Kind.WORD else word.end - 1 - start
    yield Span(directive.file, start + (scheme.end() if scheme else 0), start + length)


def _inside(word: Token) -> tuple[int, int]:
    return (word.start + 1, word.end - 1) if word.kind is Kind.QUOTED else (word.start, word.end)
