"""Variables are followed as far as the configuration says, however they go round."""

from __future__ import annotations

from pathlib import Path

from texts.nginx_texts import configuration_of

from hopcost.nginx.upstreams.variables import expand, find_values


def test_values_of_set_and_map_the_default_first(tmp_path: Path) -> None:
    text = "map $host $a { hostnames; x 1; default 2; } server { set $b c; set $b d; }"
    assert find_values(configuration_of(tmp_path, text)) == {"a": ("2", "1"), "b": ("c", "d")}


def test_every_combination_comes_out() -> None:
    values = {"a": ("1", "2"), "b": ("x$a",)}
    assert list(expand("${b}/$a", values)) == ["x1/1", "x1/2", "x2/1", "x2/2"]


def test_a_circle_ends() -> None:
    assert list(expand("$a", {"a": ("$a",)})) == [None]
