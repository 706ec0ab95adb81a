"""What went wrong with the database, in words, and what to do. Neither the URL's password nor a statement is printed.

What a person can set right by other words is a UsageError. What happens to a database that was right (its disk is full,
its server is gone) is a MeasurementFailed: the record is whole, and can be kept later.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from enum import Enum

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hopcost.errors import HopcostError, MeasurementFailed, UsageError
from hopcost.history.database.place import Place

AGAIN = "nothing of this record was kept, the record itself is whole: hopcost keep RECORD, once that is mended"
PRIMARY = 0xFF  # of SQLite's codes: what is above says more of the same


class Fault(Enum):
    """What went wrong: the words, the hint, and whether other words on the command line would help."""

    FULL = ("the disk is full", AGAIN, False)
    BUSY = ("it is locked: other programs wrote to it for a minute", AGAIN, False)
    NO_DATABASE = ("this file is no database", "name another file with --database; it is left as it is", True)
    DAMAGED = ("this database is damaged", "restore it, or name another file; records can be kept again", True)
    CANNOT_OPEN = ("it cannot be opened or made there", "name a file in a folder that you may write to", True)
    READ_ONLY = ("it may not be written to", "you need write permission for the file and its folder", True)
    INPUT_OUTPUT = ("its disk gives errors", AGAIN, False)
    NO_SUCH_DATABASE = ("the server has no database of this name", "make it once: createdb NAME", True)
    REFUSED = ("the server refuses this user or password", "look at the URL, PGPASSWORD, and the server's rules", True)
    NOT_ALLOWED = ("this user may not do that", "the user must own hopcost's tables, or be let make them", True)
    LOST = ("the connection to the server was lost", AGAIN, False)
    UNREACHABLE = ("the server cannot be reached", "is it running, and does the URL name its host and port?", True)
    OTHER = ("it refused", AGAIN, False)

    def __init__(self, words: str, hint: str, of_words: bool) -> None:
        self.words, self.hint, self.of_words = words, hint, of_words


BY_SQLITE_CODE = {
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_BUSY: Fault.BUSY,
    sqlite3.SQLITE_LOCKED: Fault.BUSY,
    sqlite3.SQLITE_NOTADB: Fault.NO_DATABASE,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_CANTOPEN: Fault.CANNOT_OPEN,
    sqlite3.SQLITE_PERM: Fault.READ_ONLY,
    sqlite3.SQLITE_READONLY: Fault.READ_ONLY,
    sqlite3.SQLITE_IOERR: Fault.INPUT_OUTPUT,
}
BY_SQLSTATE = {  # the longest that begins so
    "53100": Fault.FULL,
    "3D000": Fault.NO_SUCH_DATABASE,
    "28": Fault.REFUSED,
    "42501": Fault.NOT_ALLOWED,
    "25006": Fault.READ_ONLY,
    "57P": Fault.LOST,
    "08": Fault.LOST,
}
BY_WORDS = (  # libpq gives no code for what happens before there is a connection
    (re.compile(r"authentication failed|no password supplied|no pg_hba\.conf entry"), Fault.REFUSED),
    (re.compile(r'role ".*" does not exist'), Fault.REFUSED),
    (re.compile(r'database ".*" does not exist'), Fault.NO_SUCH_DATABASE),
)


@contextlib.contextmanager
def in_words(place: Place) -> Iterator[None]:
    """Around all that asks the database: its errors become ours."""
    try:
        yield
    except DBAPIError as error:
        raise refusal(place, error) from error
    except SQLAlchemyError as error:
        raise MeasurementFailed(f"{place}: {Fault.OTHER.words}: {type(error).__name__}", AGAIN) from error


def refusal(place: Place, error: DBAPIError) -> HopcostError:
    """The error for a person, of the fault's kind."""
    fault = fault_of(error)
    line = _first_line(error.orig)
    words = f"{place}: {fault.words}" + (f" ({line})" if line and place.file is None else "")
    return (UsageError if fault.of_words else MeasurementFailed)(words, fault.hint)


def is_busy(error: DBAPIError) -> bool:
    """Whether another process holds the lock."""
    return fault_of(error) is Fault.BUSY


def fault_of(error: DBAPIError) -> Fault:
    """What an error of either database means."""
    original = error.orig
    if isinstance(original, sqlite3.Error):
        code = getattr(original, "sqlite_errorcode", None)
        return Fault.OTHER if code is None else BY_SQLITE_CODE.get(code & PRIMARY, Fault.OTHER)
    state = getattr(original, "sqlstate", None)
    if state:
        fits = [begin for begin in BY_SQLSTATE if state.startswith(begin)]
        return BY_SQLSTATE[max(fits, key=len)] if fits else Fault.OTHER
    if error.connection_invalidated:
        return Fault.LOST
    for pattern, fault in BY_WORDS:
        if pattern.search(str(original)):
            return fault
    return Fault.UNREACHABLE if type(original).__name__ == "OperationalError" else Fault.OTHER


def _first_line(original: BaseException | None) -> str:
    lines = str(original or "").strip().splitlines()
    return lines[0] if lines else ""
