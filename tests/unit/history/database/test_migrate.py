"""The schema: made, found again, refused if it is newer or another program's, and as the tables are declared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from hopcost.errors import UsageError
from hopcost.history.database.engine import make_engine, reading
from hopcost.history.database.migrate import bring_up_to_date
from hopcost.history.database.place import read_place
from hopcost.history.database.schema import METADATA, VERSION_TABLE
from hopcost.history.history import History


def test_the_steps_come_to_the_tables_as_they_are_declared(tmp_path: Path) -> None:
    place = read_place(str(tmp_path / "h.sqlite"))
    engine = make_engine(place)
    try:
        bring_up_to_date(engine, place)
        with reading(engine) as connection:
            options = {"version_table": VERSION_TABLE, "compare_type": True}
            assert compare_metadata(MigrationContext.configure(connection, opts=options), METADATA) == []
    finally:
        engine.dispose()


def changed(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


def test_a_database_is_made_once_and_found_again(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "down" / "h.sqlite"
    for _ in range(2):
        with History.open(str(file)) as history:
            assert history.count() == 0
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "h.sqlite"
    History.open(str(file)).close()
    changed(file, f"UPDATE {VERSION_TABLE} SET version_num = '99'")
    with pytest.raises(UsageError, match="a newer hopcost has made its schema: it is 99") as refused:
        History.open(str(file))
    assert refused.value.hint is not None and "upgrade hopcost" in refused.value.hint
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall() == [("99",)]


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "places.sqlite"
    changed(file, "CREATE TABLE moz_places (id INTEGER)")
    with pytest.raises(UsageError, match="database of another program: it has the table moz_places"):
        History.open(str(file))
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("moz_places",)]


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Sir or Madam, " * 100)
    before = file.read_bytes()
    with pytest.raises(UsageError, match="this file is no database"):
        History.open(str(file))
    assert file.read_bytes() == before


def test_a_folder_in_the_files_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        History.open(str(tmp_path))


def test_a_file_in_the_folders_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file: ") as refused:
        History.open(str(tmp_path / "file" / "h.sqlite"))
    assert refused.value.hint is not None and "--database FILE" in refused.value.hint
