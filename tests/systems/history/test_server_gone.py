"""A PostgreSQL that ends a connection, refuses a user, is another one's, or is not there."""

from __future__ import annotations

from pathlib import Path

import command
import pytest
from histories.simulated import simulated_history, simulated_record
from histories.writers import assert_whole
from sqlalchemy import Engine, event
from systems import database
from systems.database import Database, connected

from hopcost.errors import MeasurementFailed, UsageError
from hopcost.history.history import History
from hopcost.history.points import Keeping

MAIN = {"branch": "main"}


def end_all_connections(server: Database, name: str) -> None:
    with connected(server) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])


def name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def test_a_connection_that_was_lost_between_two_records_is_made_anew(
    postgresql: str, server: Database, tmp_path: Path
) -> None:
    first, second = simulated_history(tmp_path, [0.5] * 2, labels=MAIN)
    with History.open(postgresql) as history:
        history.keep(first)
        end_all_connections(server, name_of(postgresql))
        assert history.keep(second) is Keeping.NEW
        assert_whole(history, 2)


@pytest.mark.parametrize("statement", ["INSERT INTO hopcost_contents", "INSERT INTO hopcost_points"])
def test_one_that_is_lost_in_the_middle_is_told_and_nothing_is_half_kept(
    postgresql: str, server: Database, tmp_path: Path, statement: str
) -> None:
    record = simulated_record(tmp_path / "r", labels=MAIN)

    def end(_connection: object, _cursor: object, asked: str, *_: object) -> None:
        if asked.startswith(statement):
            end_all_connections(server, name_of(postgresql))

    with History.open(postgresql) as history:
        event.listen(Engine, "before_cursor_execute", end)
        try:
            with pytest.raises(MeasurementFailed, match="the connection to the server was lost") as refused:
                history.keep(record)
        finally:
            event.remove(Engine, "before_cursor_execute", end)
        assert refused.value.hint is not None and "hopcost keep RECORD" in refused.value.hint
        assert history.count() == 0
        assert history.keep(record) is Keeping.NEW
        assert_whole(history, 1)


def test_a_server_that_ends_is_told_with_what_to_do(tmp_path: Path) -> None:
    record = simulated_record(tmp_path / "r", labels=MAIN)
    with database.running() as own:
        url = f"postgresql://shop:s3cret@127.0.0.1:{own.port}/postgres"
        history = History.open(url)
    with history, pytest.raises((MeasurementFailed, UsageError)) as refused:
        history.keep(record)
    assert refused.value.hint is not None and "s3cret" not in f"{refused.value.message}{refused.value.hint}"
    done = command.hopcost("keep", record, "--database", url)
    assert done.returncode == 2 and "the server cannot be reached" in done.stderr
    assert "s3cret" not in done.stderr + done.stdout and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"/history": "/nothing"}, "the server has no database of this name"),
        ({"shop@": "nobody@"}, "the server refuses this user or password"),
    ],
)
def test_a_wrong_name_is_told(postgresql: str, changed: dict[str, str], words: str) -> None:
    url = postgresql
    for old, new in changed.items():
        assert old in url
        url = url.replace(old, new)
    with pytest.raises(UsageError, match=words):
        History.open(url)


def test_a_user_who_may_not_make_tables_is_told(postgresql: str, server: Database) -> None:
    with connected(server, name_of(postgresql)) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    with pytest.raises(UsageError, match="this user may not do that"):
        History.open(postgresql.replace("shop@", "guest@"))


def test_a_reader_who_may_only_read_sees_the_history(postgresql: str, server: Database, tmp_path: Path) -> None:
    with History.open(postgresql) as history:
        history.keep(simulated_record(tmp_path / "r", labels=MAIN))
    with connected(server, name_of(postgresql)) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    with History.open(postgresql.replace("shop@", "reader@")) as history:
        assert_whole(history, 1)
        with pytest.raises(UsageError, match="this user may not do that"):
            history.keep(simulated_record(tmp_path / "other", 2))
    with connected(server, name_of(postgresql)) as connection:
        connection.execute("DROP OWNED BY reader")


def test_other_programs_tables_beside_ours_stay(postgresql: str, server: Database, tmp_path: Path) -> None:
    with connected(server, name_of(postgresql)) as connection:
        connection.execute("CREATE TABLE records (id integer)")
        connection.execute("CREATE TABLE alembic_version (version_num varchar(32))")
        connection.execute("INSERT INTO alembic_version VALUES ('theirs')")
    with History.open(postgresql) as history:
        history.keep(simulated_record(tmp_path / "r", labels=MAIN))
        assert_whole(history, 1)
    with connected(server, name_of(postgresql)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("theirs",)]
