"""Edits are written as the lines around them are: indentation, line ends, and no empty line where one is taken away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts.nginx_texts import configuration_of, directive

from hopcost.errors import UsageError
from hopcost.nginx.edits import Edit, Place, edited
from hopcost.nginx.edits.make import (
    add_after,
    add_before,
    add_inside,
    append_argument,
    place_of,
    remove,
    remove_argument,
    set_argument,
    set_arguments,
)
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.tree import Directive, parse_file, walk_directives

Make = Callable[[ConfigurationText, Directive], Edit]


def after(text: str, name: str, make: Make) -> str:
    configuration = ConfigurationText("a", Path("a"), Path(), {"a": text}, {"a": Path("a")}, {}, parse_file(text, "a"))
    found = next(found for found, _ in walk_directives(configuration.tree) if found.name == name)
    return edited(text, [make(configuration, found)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;\n  x 1;\nb;\n", "a;\nb;\n"),
        ("a;\r\n\tx 1;  \r\nb;\r\n", "a;\r\nb;\r\n"),
        ("x 1;", ""),
        ("  x 1; # why\nb;\n", "  # why\nb;\n"),
        ("a; x 1; b;\n", "a; b;\n"),
        ("a; x 1;\nb;\n", "a;\nb;\n"),
        ("b { x 1; }\n", "b { }\n"),
        ("a;\n  x\n    1\n    2;\nb;\n", "a;\nb;\n"),
        ("a;\nx {\n y;\n}\nb;\n", "a;\nb;\n"),
    ],
)
def test_a_directive_away_leaves_no_empty_line(text: str, expected: str) -> None:
    assert after(text, "x", remove) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  x 1;\nb;\n", "  x 1;\n  y 2;\nb;\n"),
        ("\tx 1; # why\r\n", "\tx 1; # why\r\n\ty 2;\r\n"),
        ("a { x 1; }\n", "a { x 1; y 2; }\n"),
        ("x 1; b;\n", "x 1; y 2; b;\n"),
        ("x 1;", "x 1; y 2;"),
    ],
)
def test_a_directive_more_after_another(text: str, expected: str) -> None:
    assert after(text, "x", lambda configuration, found: add_after(configuration, found, "y 2;")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  x {\n  }\n", "  y {\n    z;\n  }\n  x {\n  }\n"),
        ("a; x { }\n", "a; y { z; } x { }\n"),
    ],
)
def test_directives_more_before_another(text: str, expected: str) -> None:
    lines = "y {\n  z;\n}"
    assert after(text, "x", lambda configuration, found: add_before(configuration, found, lines)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x {\n  a;\n}\n", "x {\n  a;\n  y 2;\n}\n"),
        ("  x {\r\n  }\r\n", "  x {\r\n      y 2;\r\n  }\r\n"),
        ("x { a; }", "x { a; y 2; }"),
        ("x {a;}", "x {a; y 2; }"),
        ("x {}", "x { y 2; }"),
        ("x {\n  a; }", "x {\n  a; y 2; }"),
    ],
)
def test_a_directive_more_inside_of_a_block(text: str, expected: str) -> None:
    assert after(text, "x", lambda configuration, found: add_inside(configuration, found, "y 2;")) == expected


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda _, found: set_arguments(found, "off"), "x off;"),
        (lambda _, found: set_argument(found, 1, "c"), "x 'a' c;"),
        (lambda _, found: append_argument(found, "c"), "x 'a' b c;"),
        (lambda _, found: remove_argument(found, 0), "x b;"),
        (lambda _, found: remove_argument(found, 1), "x 'a';"),
    ],
)
def test_arguments_change_alone(make: Make, expected: str) -> None:
    assert after("x 'a' b;", "x", make) == expected


def test_a_directive_without_arguments_gets_some() -> None:
    assert after("x;", "x", lambda _, found: set_arguments(found, "off")) == "x off;"


@given(
    st.lists(st.sampled_from(["a;", "x 1;", "b { x 2; }", "\n", " ", "\r\n", "# c\n", "b {\n", "x;\n}"]), max_size=8)
)
def test_whatever_is_removed_all_else_stays(parts: list[str]) -> None:
    text = "".join(parts)
    try:
        tree = parse_file(text, "a")
    except UsageError:
        return
    configuration = ConfigurationText("a", Path("a"), Path(), {"a": text}, {"a": Path("a")}, {}, tree)
    for found, _ in walk_directives(tree):
        left = [other for other, _ in walk_directives(parse_file(edited(text, [remove(configuration, found)]), "a"))]
        gone = 1 + len(list(walk_directives(found.block or ())))
        assert len(left) == len(list(walk_directives(tree))) - gone


def test_a_place_is_told_as_the_user_knows_the_file(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "include conf.d/*;", **{"conf.d__a": "\ngzip on;"})
    assert str(place_of(configuration, directive(configuration, "gzip"))) == "conf.d/a:2"
    assert place_of(configuration, directive(configuration, "http")) == Place("nginx.conf", 2)
