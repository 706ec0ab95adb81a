"""Where the database is: a file of SQLite, or a PostgreSQL. Its password is never printed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from hopcost.errors import UsageError, needs_extra
from hopcost.history.default_file import default_file

VARIABLE = "HOPCOST_DATABASE"
SQLITE, POSTGRESQL = "sqlite", "postgresql+psycopg"
DRIVERS = {
    "sqlite": SQLITE,
    "sqlite+pysqlite": SQLITE,
    "postgresql": POSTGRESQL,
    "postgres": POSTGRESQL,
    "postgresql+psycopg": POSTGRESQL,
}
SHOWN = ("host", "port", "dbname")  # of a URL's query; a password may stand there too
LIKE = "as in history.sqlite, postgresql://USER@HOST/NAME or postgresql://USER@/NAME?host=/run/postgresql"


class Place(msgspec.Struct, frozen=True):
    """The URL, and the file if it is SQLite's. As text it has no password."""

    url: URL
    file: Path | None

    def __str__(self) -> str:
        if self.file is not None:
            return str(self.file)
        shown = self.url.set(query={key: value for key, value in self.url.query.items() if key in SHOWN})
        return shown.set(drivername="postgresql").render_as_string(hide_password=True)

    def __repr__(self) -> str:
        return f"Place({self})"


def read_place(word: str | None, variables: Mapping[str, str] = os.environ) -> Place:
    """What `--database` says, else HOPCOST_DATABASE, else the default file. A path is a file of SQLite.

    UsageError for a URL that cannot be one, or another kind of database; CannotMeasure without PostgreSQL's driver.
    """
    option = "--database" if word else VARIABLE
    word = word or variables.get(VARIABLE) or str(default_file())
    scheme, mark, _ = word.partition("://")
    if not mark:
        return _file(Path(word))
    if scheme not in DRIVERS:
        raise UsageError(f"{option}: '{scheme}' is no database that hopcost knows: sqlite and postgresql are", LIKE)
    try:
        url = make_url(word).set(drivername=DRIVERS[scheme])
    except (ArgumentError, ValueError) as error:  # its words may hold the password
        raise UsageError(
            f"{option}: this is no URL of a database",
            f"{LIKE}; signs of a password such as @ and / stand there as %40 and %2F",
        ) from error
    if DRIVERS[scheme] == SQLITE:
        return _file(Path(url.database or ""))
    with needs_extra("postgresql", "a history on PostgreSQL"):
        import psycopg  # noqa: F401  # SQLAlchemy loads it by its name
    return Place(url, None)


def _file(path: Path) -> Place:
    if str(path) in ("", ".", ":memory:"):
        raise UsageError("--database: expected the file of the database", LIKE)
    whole = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100  # links stay as they are
    return Place(URL.create(SQLITE, database=str(whole)), whole)
