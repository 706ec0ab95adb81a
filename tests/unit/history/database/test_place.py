"""Where the database is, and that its password is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.errors import UsageError
from hopcost.history.database.place import VARIABLE, read_place
from hopcost.history.default_file import default_file

PASSWORD = "s3cr%40t"


def test_without_a_word_the_variable_counts_and_then_the_users_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert read_place(None, {}).file == Path("/data/hopcost/history.sqlite") == default_file()
    assert read_place("", {VARIABLE: ""}).file == default_file()
    assert read_place(None, {VARIABLE: "/elsewhere/h.sqlite"}).file == Path("/elsewhere/h.sqlite")
    assert read_place("/mine.sqlite", {VARIABLE: "/elsewhere/h.sqlite"}).file == Path("/mine.sqlite")


def test_a_path_is_a_file_of_sqlite_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for word in ("h.sqlite", "sqlite:///h.sqlite", f"sqlite:///{tmp_path}/h.sqlite"):
        assert read_place(word, {}).file == tmp_path / "h.sqlite"
    assert str(read_place("h.sqlite", {})) == str(tmp_path / "h.sqlite")


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (f"postgresql://ci:{PASSWORD}@db.example:5433/hopcost", "postgresql://ci:***@db.example:5433/hopcost"),
        (f"postgres://ci:{PASSWORD}@db.example/hopcost", "postgresql://ci:***@db.example/hopcost"),
        (f"postgresql+psycopg://ci@db/hopcost?password={PASSWORD}", "postgresql://ci@db/hopcost"),
        ("postgresql://ci@/hopcost?host=/run/postgresql", "postgresql://ci@/hopcost?host=%2Frun%2Fpostgresql"),
    ],
)
def test_a_place_on_postgresql_is_shown_without_its_password(word: str, shown: str) -> None:
    place = read_place(word, {})
    assert place.file is None and place.url.drivername == "postgresql+psycopg"
    assert str(place) == shown
    assert PASSWORD not in repr(place) and "s3cr@t" not in f"{place!s}{place!r}"


@pytest.mark.parametrize(
    "word", ["mysql://ci:s3cr%40t@db/hopcost", "postgresql://ci:s3cr@t:x@db:port/hopcost", "sqlite://", ".", ":memory:"]
)
def test_what_is_no_place_is_told_without_the_password(word: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_place(word, {})
    assert refused.value.hint is not None
    assert "s3cr" not in refused.value.message + refused.value.hint
