"""Tokens are those of crossplane, on real configurations and on made-up ones, and lie where they say."""

from __future__ import annotations

import io
from pathlib import Path

import crossplane.lexer
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts.nginx_texts import others_files, own_files, without_lua

from hopcost.errors import UsageError
from hopcost.nginx.tokens import Kind, split_tokens

PLAIN = st.text("abz09_./*~^()|:=-,@+", min_size=1, max_size=8)
ESCAPED = st.sampled_from(
    ["\\ ", "\\;", "\\{", "\\.", "\\\\", "$b", "${c}d", "#x"]
)  # "${c} " has its space in crossplane, for nginx the word ends
WORD = st.lists(st.one_of(PLAIN, ESCAPED), min_size=1, max_size=3).map(lambda parts: "w" + "".join(parts))
INSIDE = st.lists(st.sampled_from(["a", " ", ";", "{", "}", "#", "\n", "\\'", '\\"', "\\n", "$x"]), max_size=6).map(
    "".join
)
QUOTED = st.one_of(
    INSIDE.map(lambda text: "'" + text.replace("'", "\\'").replace("\\\\'", "\\'") + "'"),
    INSIDE.map(lambda text: '"' + text.replace('"', '\\"').replace('\\\\"', '\\"') + '"'),
)
SPACE = st.sampled_from([" ", "  ", "\n", "\t", " # note; {\n", "\r\n"])


@st.composite
def directives(draw: st.DrawFn, depth: int = 0) -> str:
    words = draw(st.lists(st.one_of(WORD, QUOTED), min_size=1, max_size=3))
    line = "".join(word + draw(SPACE) for word in words)
    if depth < 2 and draw(st.booleans()):
        return line + "{" + "".join(draw(st.lists(directives(depth + 1), max_size=3))) + "}" + draw(SPACE)
    return line + ";" + draw(SPACE)


def ours(text: str) -> list[tuple[str, int, bool]]:
    return [(token.text, token.line, token.kind is Kind.QUOTED) for token in split_tokens(text, "nginx.conf")]


def crossplanes(text: str) -> list[tuple[str, int, bool]]:
    """crossplane reads files with universal newlines, and forgets a comment at an end without newline."""
    plain = text.replace("\r\n", "\n") + "\n"
    return [(token, line, quoted) for token, line, quoted in crossplane.lexer._lex_file_object(io.StringIO(plain))]


@pytest.mark.parametrize(
    "path", without_lua([*own_files(), *others_files()]), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_tokens_of_configurations_are_those_of_crossplane(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    assert ours(text.replace("\r\n", "\n")) == crossplanes(text)


@given(st.lists(directives(), max_size=4).map("".join))
def test_tokens_of_any_directives_are_those_of_crossplane_with_their_lines(text: str) -> None:
    assert ours(text.replace("\r\n", "\n")) == crossplanes(text)


@given(st.lists(directives(), max_size=4).map("".join))
def test_a_token_lies_where_it_says_and_nothing_but_space_is_between_them(text: str) -> None:
    at = 0
    for token in split_tokens(text, "nginx.conf"):
        assert text[at : token.start].strip(" \t\r\n") == ""
        assert text.count("\n", 0, token.start) + 1 == token.line
        if token.kind is not Kind.QUOTED:
            assert text[token.start : token.end] == token.text
        else:
            assert text[token.start] == text[token.end - 1] in "'\""
        at = token.end
    assert text[at:].strip(" \t\r\n") == ""


@given(st.text())
def test_any_text_is_split_or_refused_with_its_line(text: str) -> None:
    try:
        tokens = list(split_tokens(text, "nginx.conf"))
    except UsageError as error:
        assert error.message.startswith("nginx.conf:")
    else:
        assert all(token.start < token.end <= len(text) for token in tokens)


def test_a_no_break_space_is_part_of_a_word_as_it_is_for_nginx() -> None:
    assert [token.text for token in split_tokens("gzip\u00a0on;", "a")] == ["gzip\u00a0on", ";"]


def test_a_closing_brace_inside_a_word_is_part_of_it_as_it_is_for_nginx() -> None:
    assert [token.text for token in split_tokens("if ($a ~ b}c) {", "a")][3] == "b}c)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeffuser a;", "a.conf:1: the file begins with a byte order mark"),
        ("a b;\nc 'd;\n", "a.conf:2: this quote (') is never closed"),
        ("a 'b'c;", "a.conf:1: 'c' right after a closing quote"),
        ("a;\nx_by_lua_block { }\ny_by_lua_block { '}' ", "a.conf:3: the Lua block of 'y_by_lua_block' has no end"),
    ],
)
def test_what_nginx_refuses_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        list(split_tokens(text, "a.conf"))
    assert refused.value.message.startswith(message)
    assert refused.value.hint
