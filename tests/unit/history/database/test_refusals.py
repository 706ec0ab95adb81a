"""Errors of the databases in words, with what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, InvalidRequestError

from hopcost.errors import MeasurementFailed, UsageError
from hopcost.history.database.place import Place
from hopcost.history.database.refusals import Fault, fault_of, in_words, is_busy, refusal

FILE = Place(URL.create("sqlite", database="/h.sqlite"), Path("/h.sqlite"))
SERVER = Place(URL.create("postgresql+psycopg", "ci", "s3cret", "db", database="h"), None)


class OperationalError(Exception):
    """As the driver of PostgreSQL calls it."""

    def __init__(self, words: str, sqlstate: str | None = None) -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


def of_sqlite(code: int) -> DBAPIError:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return DBAPIError("INSERT INTO t VALUES ('s3cret')", {}, error)


def of_server(words: str, sqlstate: str | None = None, *, lost: bool = False) -> DBAPIError:
    return DBAPIError("INSERT INTO t", {}, OperationalError(words, sqlstate), connection_invalidated=lost)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (sqlite3.SQLITE_FULL, Fault.FULL),
        (sqlite3.SQLITE_BUSY, Fault.BUSY),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Fault.BUSY),
        (sqlite3.SQLITE_NOTADB, Fault.NO_DATABASE),
        (sqlite3.SQLITE_CORRUPT, Fault.DAMAGED),
        (sqlite3.SQLITE_CANTOPEN, Fault.CANNOT_OPEN),
        (sqlite3.SQLITE_READONLY_DBMOVED, Fault.READ_ONLY),
        (sqlite3.SQLITE_IOERR_WRITE, Fault.INPUT_OUTPUT),
        (sqlite3.SQLITE_MISUSE, Fault.OTHER),
    ],
)
def test_sqlites_codes_are_told_apart(code: int, fault: Fault) -> None:
    error = of_sqlite(code)
    assert fault_of(error) is fault
    assert is_busy(error) is (fault is Fault.BUSY)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (of_server("could not extend file: No space left on device", "53100"), Fault.FULL),
        (of_server("terminating connection due to administrator command", "57P01", lost=True), Fault.LOST),
        (of_server("server closed the connection unexpectedly", lost=True), Fault.LOST),
        (of_server("permission denied for schema public", "42501"), Fault.NOT_ALLOWED),
        (of_server("cannot execute INSERT in a read-only transaction", "25006"), Fault.READ_ONLY),
        (of_server("duplicate key", "23505"), Fault.OTHER),
        (of_server('connection failed: FATAL:  password authentication failed for user "ci"'), Fault.REFUSED),
        (of_server('connection failed: FATAL:  role "ci" does not exist'), Fault.REFUSED),
        (of_server("connection failed: fe_sendauth: no password supplied"), Fault.REFUSED),
        (of_server('connection failed: FATAL:  database "h" does not exist'), Fault.NO_SUCH_DATABASE),
        (of_server("connection failed: FATAL:  the database system is starting up"), Fault.UNREACHABLE),
        (of_server("connection failed: Connection refused"), Fault.UNREACHABLE),
    ],
)
def test_postgresqls_errors_are_told_apart(error: DBAPIError, fault: Fault) -> None:
    assert fault_of(error) is fault


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_says_what_to_do(fault: Fault) -> None:
    assert fault.words and fault.hint
    assert fault.of_words is not ("nothing of this record was kept" in fault.hint)


def test_what_other_words_mend_is_a_usage_error_and_the_rest_is_not() -> None:
    wrong, broken = refusal(FILE, of_sqlite(sqlite3.SQLITE_NOTADB)), refusal(FILE, of_sqlite(sqlite3.SQLITE_FULL))
    assert (type(wrong), wrong.message) == (UsageError, "/h.sqlite: this file is no database")
    assert (type(broken), broken.message) == (MeasurementFailed, "/h.sqlite: the disk is full")


def test_neither_a_statement_nor_a_password_is_printed() -> None:
    for error in (
        refusal(FILE, of_sqlite(sqlite3.SQLITE_FULL)),
        refusal(SERVER, of_server("connection failed: Connection refused\nsecond line")),
    ):
        assert error.hint is not None
        assert "s3cret" not in error.message + error.hint and "INSERT" not in error.message
    said = refusal(SERVER, of_server("connection failed: Connection refused\nsecond line")).message
    assert said == "postgresql://ci:***@db/h: the server cannot be reached (connection failed: Connection refused)"


def test_the_librarys_own_errors_are_told_too_and_ours_pass() -> None:
    with pytest.raises(MeasurementFailed, match="InvalidRequestError"), in_words(FILE):
        raise InvalidRequestError("as the library says it")
    with pytest.raises(UsageError, match="mine"), in_words(FILE):
        raise UsageError("mine")
