"""Directives of a configuration with their places: a file as a tree, and all files as one walk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from hopcost.errors import UsageError
from hopcost.nginx.tokens import Kind, Token, split_tokens


@dataclass(frozen=True)
class Directive:
    """One directive of a file. `text[start:end]` is the whole of it, from its name past its `;` or `}`."""

    name: str
    args: tuple[str, ...]
    file: str
    """the path under which nginx reads it"""
    line: int
    start: int
    end: int
    words: tuple[Token, ...]
    """its name and arguments, each with its place"""
    block: tuple[Directive, ...] | None = None
    """what stands between its braces; None if it ends with `;`. Empty for Lua and for an include without files"""
    opens: int = 0
    """the offset right after its `{`"""
    closes: int = 0
    """the offset of its `}`"""
    is_include: bool = False
    """then `block` is what the included files hold, and stands in the place of this directive"""
    lua: str | None = None

    @property
    def first(self) -> str:
        """Its first argument; empty if it has none."""
        return self.args[0] if self.args else ""

    def __str__(self) -> str:
        return " ".join([self.name, *self.args])


@dataclass
class _Open:
    words: list[Token]
    start: int
    opens: int
    line: int
    inside: list[Directive]


def parse_file(text: str, file: str, called: str | None = None) -> tuple[Directive, ...]:
    """A file's directives. UsageError with `called:line` where nginx would refuse it; `called` is as the user says."""
    called = called or file
    top: list[Directive] = []
    blocks: list[_Open] = []
    words: list[Token] = []
    for token in split_tokens(text, called):
        into = blocks[-1].inside if blocks else top
        if token.is_word:
            words.append(token)
        elif token.kind is Kind.END:
            if not words:
                raise UsageError(f"{called}:{token.line}: nothing stands before this ';'", "remove it")
            into.append(_directive(words, file, token.end))
            words = []
        elif token.kind is Kind.LUA:
            into.append(_directive(words, file, token.end, block=(), token=token, lua=token.text))
            words = []
        elif token.kind is Kind.OPEN:
            if not words:
                raise UsageError(
                    f"{called}:{token.line}: nothing stands before this '{{'", "remove it, or name the block"
                )
            blocks.append(_Open(words, words[0].start, token.end, words[0].line, []))
            words = []
        elif token.kind is Kind.CLOSE:
            if words:
                raise UsageError(
                    f"{called}:{token.line}: '{words[0].text}' in line {words[0].line} has no ';' before this '}}'",
                    "end the directive with ';'",
                )
            if not blocks:
                raise UsageError(
                    f"{called}:{token.line}: this '}}' closes nothing", "one '}' too many, or a '{' missing"
                )
            open_ = blocks.pop()
            (blocks[-1].inside if blocks else top).append(
                _directive(
                    open_.words, file, token.end, block=tuple(open_.inside), opens=open_.opens, closes=token.start
                )
            )
    _refuse_an_open_end(called, words, blocks)
    return tuple(top)


def _refuse_an_open_end(called: str, words: list[Token], blocks: list[_Open]) -> None:
    if words:
        raise UsageError(
            f"{called}:{words[0].line}: '{words[0].text}' has no ';' up to the end of the file",
            "end the directive with ';'",
        )
    if blocks:
        name = blocks[-1].words[0].text
        raise UsageError(f"{called}:{blocks[-1].line}: the block '{name}' is never closed", "look for a missing '}'")


def _directive(
    words: list[Token],
    file: str,
    end: int,
    *,
    block: tuple[Directive, ...] | None = None,
    opens: int = 0,
    closes: int = 0,
    token: Token | None = None,
    lua: str | None = None,
) -> Directive:
    name, *args = words
    return Directive(
        name=name.text,
        args=tuple(word.text for word in args),
        file=file,
        line=name.line,
        start=name.start,
        end=end,
        words=tuple(words),
        block=block,
        opens=token.start + 1 if token else opens,
        closes=token.end - 1 if token else closes,
        lua=lua,
    )


class Placed(NamedTuple):
    """A directive and the blocks around it, outermost first."""

    directive: Directive
    parents: tuple[Directive, ...]


class HasTree(Protocol):
    """A whole configuration: the main file's directives, with those of the included files in their places."""

    @property
    def tree(self) -> tuple[Directive, ...]:
        """The main file's directives."""


def walk(configuration: HasTree) -> Iterator[Placed]:
    """Every directive with the blocks that it stands in. Included files take their include's place."""
    return walk_directives(configuration.tree)


def walk_directives(directives: Iterable[Directive], parents: tuple[Directive, ...] = ()) -> Iterator[Placed]:
    """The same below some directives."""
    for directive in directives:
        yield Placed(directive, parents)
        yield from walk_directives(directive.block or (), parents if directive.is_include else (*parents, directive))


def inside(block: Directive) -> Iterator[Directive]:
    """What stands directly in a block, includes expanded."""
    for directive in block.block or ():
        if directive.is_include:
            yield from inside(directive)
        else:
            yield directive
