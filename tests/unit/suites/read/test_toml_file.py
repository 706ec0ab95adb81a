"""What a person gets told about a TOML file that does not fit: file, key, and the nearest known key."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from hopcost.errors import UsageError
from hopcost.suites.read import toml_file

Word = Annotated[str, msgspec.Meta(pattern=r"^[a-z-]+\Z")]


class Season(Enum):
    SUMMER = "summer"
    WINTER = "winter"


class Leaf(msgspec.Struct, forbid_unknown_fields=True):
    colour: str
    number_of_veins: Annotated[int, msgspec.Meta(ge=1)] = 1
    share: float = 0.5
    season: Season | None = None


class Branch(msgspec.Struct, forbid_unknown_fields=True):
    leaves: list[Leaf] = []
    first_leaf: Leaf | None = None
    named: dict[Word, Leaf] = {}
    knobs: dict[Word, dict[Word, int]] = {}


class Tree(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    branches: list[Branch] = []
    trunk: Branch | None = None


def refused(tmp_path: Path, content: str | bytes) -> tuple[str, str | None]:
    """The message without the file's name, which must stand at its head, and the hint."""
    path = tmp_path / "tree.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UsageError) as caught:
        toml_file.read(path, Tree)
    head, _, message = caught.value.message.partition(": ")
    assert head == str(path)
    return message, caught.value.hint


def test_a_file_that_fits_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tree.toml"
    path.write_text('kind = "Eiche"\n[trunk.first_leaf]\ncolour = "grün"\nshare = 1\n', encoding="utf-8")
    read = toml_file.read(path, Tree)
    assert read == Tree(kind="Eiche", trunk=Branch(first_leaf=Leaf(colour="grün", share=1.0)))


@pytest.mark.parametrize(
    ("content", "where", "unknown", "hint"),
    [
        ('kind = "oak"\nbranchs = []', "top level", "branchs", "did you mean 'branches'?"),
        ('kind = "oak"\n[[branches]]\nleafs = []', "branches[0]", "leafs", "did you mean 'leaves'?"),
        (
            'kind = "oak"\n[[branches]]\n[[branches]]\nleaves = [{colour = "red"}, {color = "red"}]',
            "branches[1].leaves[1]",
            "color",
            "did you mean 'colour'?",
        ),
        ('kind = "oak"\n[trunk.first_leaf]\ncolor = "red"', "trunk.first_leaf", "color", "did you mean 'colour'?"),
        ('kind = "oak"\n[trunk.named.big]\ncolor = "red"', "trunk.named.big", "color", "did you mean 'colour'?"),
        (
            'kind = "oak"\n[[branches]]\n[branches.named.good]\ncolour = "red"\n[branches.named.bad]\nveins = 3',
            "branches[0].named.bad",
            "veins",
            "known: colour, number_of_veins, season, share",
        ),
    ],
)
def test_an_unknown_key_is_named_with_its_place_and_the_nearest_one(
    tmp_path: Path, content: str, where: str, unknown: str, hint: str
) -> None:
    assert refused(tmp_path, content) == (f"{where}: Object contains unknown field `{unknown}`", hint)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "top level: Object missing required field `kind`"),
        ("kind = 3", "kind: Expected `str`, got `int`"),
        ('kind = "oak"\nbranches = 3', "branches: Expected `array`, got `int`"),
        ('kind = "oak"\nbranches = ["x"]', "branches[0]: Expected `object`, got `str`"),
        (
            'kind = "oak"\n[[branches]]\nleaves = [{colour = "red", number_of_veins = 0}]',
            "branches[0].leaves[0].number_of_veins: Expected `int` >= 1",
        ),
        (
            'kind = "oak"\n[trunk.named.a]\ncolour = "red"\n[trunk.named.b]\ncolour = 7',
            "trunk.named.b.colour: Expected `str`, got `int`",
        ),
        (
            'kind = "oak"\n[trunk.knobs]\nfirst = {a = 1}\nsecond = {a = 1, b = "two"}',
            "trunk.knobs.second.b: Expected `int`, got `str`",
        ),
        ('kind = "oak"\n[trunk.knobs]\nfirst = {b = 1.5}', "trunk.knobs.first.b: Expected `int`, got `float`"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_place(tmp_path: Path, content: str, message: str) -> None:
    assert refused(tmp_path, content) == (message, None)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ('kind = "oak"\n[trunk.named.good]\ncolour = "red"\n[trunk.named."A b"]\ncolour = "red"', "trunk.named"),
        ('kind = "oak"\n[trunk.knobs."A b"]', "trunk.knobs"),
        ('kind = "oak"\n[trunk.knobs.first]\n"A b" = 1', "trunk.knobs.first"),
    ],
)
def test_a_key_of_the_wrong_form_is_named(tmp_path: Path, content: str, where: str) -> None:
    message, _ = refused(tmp_path, content)
    assert message.startswith(f"{where}: key 'A b': Expected `str` matching regex")


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e999"])
def test_a_number_that_is_none_is_refused(tmp_path: Path, number: str) -> None:
    """JSON has no word for these: a record that holds one could not be read again."""
    message, _ = refused(tmp_path, f'kind = "oak"\n[trunk.first_leaf]\ncolour = "red"\nshare = {number}')
    assert message == f"{number} is not a finite number"


def test_an_unknown_word_gets_the_nearest_one(tmp_path: Path) -> None:
    message, hint = refused(tmp_path, 'kind = "oak"\n[trunk]\nleaves = [{colour = "red", season = "sumer"}]')
    assert message == "trunk.leaves[0].season: Invalid enum value 'sumer'"
    assert hint == "did you mean 'summer'?"


def test_invalid_toml_says_where(tmp_path: Path) -> None:
    message, _ = refused(tmp_path, 'kind = "oak"\nbranches = [x]\n')
    assert message == "not valid TOML: Invalid value (at line 2, column 13)"


def test_the_same_key_twice_says_the_line(tmp_path: Path) -> None:
    message, _ = refused(tmp_path, 'kind = "oak"\nkind = "elm"\n')
    assert message == "not valid TOML: Cannot overwrite a value (at line 2, column 13)"


def test_bytes_that_are_not_utf8_say_which(tmp_path: Path) -> None:
    assert refused(tmp_path, b'kind = "\xe4"') == ("not UTF-8 text (byte 8)", "save it as UTF-8")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        toml_file.read(tmp_path / "none.toml", Tree)
    assert caught.value.message == f"{tmp_path}/none.toml: no such file in {tmp_path}"


def test_a_directory_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        toml_file.read(tmp_path, Tree)
    assert caught.value.message == f"{tmp_path}: Is a directory"


def test_a_wrong_file_is_a_matter_of_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        toml_file.read(tmp_path / "none.toml", Tree)
    assert caught.value.exit_code == 2
