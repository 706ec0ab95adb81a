"""Commands as they work when they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.cli.program import called_as, with_program


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "hopcost").touch()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "hopcost").symlink_to(tmp_path / ".venv" / "bin" / "hopcost")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "hopcost").touch()
    return tmp_path


@pytest.mark.parametrize("word", [".venv/bin/hopcost", "{}/.venv/bin/hopcost", "./.venv/bin/../bin/hopcost"])
def test_a_program_that_no_shell_finds_is_called_by_its_path(word: str, checkout: Path) -> None:
    word = word.format(checkout)
    assert called_as(word, checkout, None) == ".venv/bin/hopcost"
    assert called_as(word, checkout, str(checkout / "other" / "hopcost")) == ".venv/bin/hopcost", "that is another one"


def test_above_the_working_directory_the_path_is_whole_and_quoted(checkout: Path) -> None:
    assert called_as("../.venv/bin/hopcost", checkout / "home", None) == str(checkout / ".venv/bin/hopcost")
    assert called_as("/with space/hopcost", checkout, None) == "'/with space/hopcost'"
    assert called_as(str(checkout / ".venv/bin/hopcost"), checkout / ".venv" / "bin", None) == "./hopcost"


def test_one_that_a_shell_finds_keeps_its_name(checkout: Path) -> None:
    command = str(checkout / "home" / "hopcost")
    assert called_as(str(checkout / ".venv/bin/hopcost"), checkout, command) == "hopcost", "a link to the same file"
    assert called_as("python -m something", checkout, None) == "hopcost"


def test_commands_alone_change_and_only_once() -> None:
    text = "hopcost itself used 1 %; next: hopcost report latest --html (/bin/hopcost run), 'hopcost --help'"
    changed = with_program(text, ".venv/bin/hopcost")
    assert changed == (
        "hopcost itself used 1 %; next: .venv/bin/hopcost report latest --html (/bin/hopcost run),"
        " '.venv/bin/hopcost --help'"
    )
    assert with_program(changed, ".venv/bin/hopcost") == changed
