"""Directives know their place: the text between their offsets is the directive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import crossplane
import pytest
from texts.nginx_texts import configuration_of, others_configurations, own_configurations, without_lua

from hopcost.errors import UsageError
from hopcost.nginx.tree import Directive, inside, parse_file, walk, walk_directives


def test_a_directive_lies_between_its_offsets() -> None:
    text = "a 1;\n  b {\n c 'x y' ; # no\n}\nd;"
    found = [directive for directive, _ in walk_directives(parse_file(text, "a"))]
    assert [text[directive.start : directive.end] for directive in found] == [
        "a 1;",
        "b {\n c 'x y' ; # no\n}",
        "c 'x y' ;",
        "d;",
    ]
    assert [(directive.name, directive.args, directive.line) for directive in found] == [
        ("a", ("1",), 1),
        ("b", (), 2),
        ("c", ("x y",), 3),
        ("d", (), 5),
    ]
    block = found[1]
    assert text[block.opens : block.closes] == "\n c 'x y' ; # no\n"


def test_lua_is_a_block_without_directives() -> None:
    (found,) = parse_file("content_by_lua_block { a{} }", "a")
    assert (found.lua, found.block, found.name) == (" a{} ", (), "content_by_lua_block")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;\n;", "conf/a:2: nothing stands before this ';'"),
        ("{ a; }", "conf/a:1: nothing stands before this '{'"),
        ("a { b }", "conf/a:1: 'b' in line 1 has no ';' before this '}'"),
        ("a;\n}", "conf/a:2: this '}' closes nothing"),
        ("a;\nb c", "conf/a:2: 'b' has no ';' up to the end of the file"),
        ("a {\nb {\n}\n", "conf/a:1: the block 'a' is never closed"),
    ],
)
def test_what_nginx_refuses_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_file(text, "/etc/nginx/a", "conf/a")
    assert refused.value.message == message


def test_included_files_take_the_place_of_their_include(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path, "include a.conf;\nserver { include b.conf; }", **{"a.conf": "x 1;", "b.conf": "y;"}
    )
    found = [(directive.name, [parent.name for parent in parents]) for directive, parents in walk(configuration)]
    assert found[2:] == [
        ("include", ["http"]),
        ("x", ["http"]),
        ("server", ["http"]),
        ("include", ["http", "server"]),
        ("y", ["http", "server"]),
    ]
    http = next(directive for directive, _ in walk(configuration) if directive.name == "http")
    assert [directive.name for directive in inside(http)] == ["x", "server"]


@pytest.mark.parametrize("path", without_lua([*own_configurations(), *others_configurations()]), ids=str)
def test_the_main_file_has_the_directives_that_crossplane_finds(path: Path) -> None:
    parsed = crossplane.parse(str(path), single=True, check_ctx=False, check_args=False)
    assert ours(parse_file(path.read_text(), "a")) == theirs(parsed["config"][0]["parsed"])


def ours(directives: tuple[Directive, ...]) -> list[object]:
    return [(one.name, plain(one.name, one.args), one.line, ours(one.block or ())) for one in directives]


def theirs(block: list[dict[str, Any]]) -> list[object]:
    return [
        (one["directive"], plain(one["directive"], one["args"]), one["line"], theirs(one.get("block", [])))
        for one in block
    ]


def plain(name: str, args: Sequence[str]) -> tuple[str, ...]:
    """crossplane takes the parentheses of an `if` away."""
    return tuple(word for arg in args if (word := arg.strip("()"))) if name == "if" else tuple(args)
