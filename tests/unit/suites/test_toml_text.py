"""Suites as text: what is read from it is the same suite."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from hopcost.suites.read import read_suite, shipped_suites
from hopcost.suites.suite import Suite
from hopcost.suites.toml_text import suite_text


@pytest.mark.parametrize("name", shipped_suites())
def test_every_shipped_suite_comes_back_equal(name: str, tmp_path: Path) -> None:
    suite = read_suite(name)
    path = tmp_path / "again.toml"
    path.write_text(suite_text(suite), encoding="utf-8")
    assert read_suite(str(path)) == suite


def test_defaults_are_left_out_and_comments_stand_first() -> None:
    text = suite_text(read_suite("hello"), ["one", "", "two"])
    assert text.startswith('# one\n#\n# two\nname = "hello"\n')
    assert not any(word in text for word in ("\ntimeout_s", "stand_in = false", "copies", "None"))


def test_every_sign_survives() -> None:
    suite = read_suite("hello")
    title = '"quotes" \\ tab\t line\nend DEL\x7f null-ish\x01 é 世'
    kept = msgspec.convert(tomllib.loads(suite_text(msgspec.structs.replace(suite, title=title))), Suite)
    assert kept.title == title
