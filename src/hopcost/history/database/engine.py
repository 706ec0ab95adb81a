"""Connections to the database: how SQLite and PostgreSQL are told to wait, and what a transaction is.

SQLite's writers wait in a line: a transaction that writes takes the lock at its beginning, since one that has read
before cannot wait for it. Readers see what was there when they began, and hold up nobody (WAL).
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from typing import Any

from sqlalchemy import BigInteger, Connection, Engine, create_engine, event, func, literal, select

from hopcost.errors import UsageError
from hopcost.history.database.place import Place

BUSY_S = 60.0  # how long a writer waits for the others
CONNECT_S = 10
UNANSWERED_MS = 30_000  # after so long without an acknowledgement a connection counts as lost
WRITES = "hopcost_writes"  # of a connection: its transactions write


def make_engine(place: Place) -> Engine:
    """Nothing is asked of the database yet, but for SQLite's folder, which is made."""
    if place.file is not None:
        _make_folder(place)
        engine = create_engine(place.url, hide_parameters=True, connect_args={"timeout": BUSY_S})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    wanted = {
        "connect_timeout": CONNECT_S,
        "tcp_user_timeout": UNANSWERED_MS,
        "application_name": "hopcost",
        "client_encoding": "utf8",  # of a database in SQL_ASCII psycopg gives bytes else, and SQLAlchemy fails on them
    }
    own = {name: value for name, value in wanted.items() if name not in place.url.query}
    return create_engine(place.url, hide_parameters=True, pool_pre_ping=True, connect_args=own)


@contextlib.contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One transaction that changes nothing."""
    with engine.connect() as connection:
        yield connection


@contextlib.contextmanager
def writing(engine: Engine, lock: int | None = None) -> Iterator[Connection]:
    """One transaction: all of it is there when the block ends, or nothing if an error leaves it.

    Of PostgreSQL's writers those with the same `lock` (63 bits) wait for each other; of SQLite's all do.
    """
    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        if lock is not None and connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(literal(lock, BigInteger))))
        yield connection


def _make_folder(place: Place) -> None:
    assert place.file is not None, "make_engine asks for a file's folder"
    try:
        place.file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{place.file.parent}: {error.strerror}", "name a file in a folder that you may write to: --database FILE"
        ) from error
    if place.file.is_dir():
        raise UsageError(f"{place.file}: is a folder", "name a file with --database")


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    connection.execute("PRAGMA foreign_keys = ON")
    deadline = time.monotonic() + BUSY_S
    while connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return  # a file system may not have it: then readers and writers wait for each other
        except sqlite3.OperationalError as error:  # for this lock SQLite itself does not wait
            is_busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not is_busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
