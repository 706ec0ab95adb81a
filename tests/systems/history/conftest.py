"""A database of each kind, empty for each test. PostgreSQL runs in a folder of its own, as an ordinary user."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes.needed import need
from systems import database
from systems.database import Database, connected

NAMES = (f"history_{number}" for number in itertools.count())


@pytest.fixture(autouse=True, scope="session")
def installed() -> None:
    """In place of what the apps need."""
    need(None if database.programs() else "not installed: PostgreSQL; tools/setup systems installs it")


@pytest.fixture(scope="session")
def server(installed: None) -> Iterator[Database]:
    with database.running() as running:
        yield running


@pytest.fixture
def postgresql(server: Database) -> str:
    """The URL of a new database on it, through its Unix socket."""
    name = next(NAMES)
    with connected(server) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return url(server, name)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What `--database` is given: one test for each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "history.sqlite")
    made: str = request.getfixturevalue("postgresql")
    return made


def url(server: Database, name: str) -> str:
    return f"postgresql://shop@/{name}?host={server.socket.parent}&port={server.port}"
