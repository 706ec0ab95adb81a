"""A PostgreSQL of the test's own: in a folder of its own, on a port of its own, as an ordinary user."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

PROGRAMS = Path("/usr/lib/postgresql")  # of each version; apt puts them on no PATH
NOBODY = 65534
READY_S = 60.0


@dataclass(frozen=True)
class Database:
    """Where it listens."""

    port: int
    socket: Path

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        """What its clients read."""
        return {"PGHOST": "127.0.0.1", "PGPORT": str(self.port)}


def connected(database: Database, name: str = "postgres") -> psycopg.Connection:
    """A connection of its user's to one of its databases; each statement is a transaction."""
    folder = str(database.socket.parent)
    return psycopg.connect(
        host=folder, port=database.port, user="shop", dbname=name, autocommit=True, client_encoding="utf8"
    )


def programs() -> list[Path]:
    """The folders of the versions that are installed, the newest last."""
    found = [path.parent for path in PROGRAMS.glob("*/bin/postgres")]
    return sorted(found, key=lambda folder: int(folder.parent.name))


@contextmanager
def running() -> Iterator[Database]:
    """Started with an empty database `postgres` of the user `shop`, who needs no password."""
    folder = Path(tempfile.mkdtemp(prefix="hct-pg-", dir="/tmp"))  # short: its socket lies there
    server = None
    try:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        data = folder / "data"
        _run([programs()[-1] / "initdb", "--auth=trust", "--username=shop", "--no-sync", "--locale=C", data], folder)
        database = _database(folder)
        options = ["-k", folder, "-p", database.port, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
        command = [*_ordinary_user(), programs()[-1] / "postgres", "-D", data, *options]
        server = subprocess.Popen(
            [str(word) for word in command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _wait_until_ready(server, database, folder)
        yield database
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)  # ends its clients' connections
            server.wait(READY_S)
        shutil.rmtree(folder)


def _ordinary_user() -> list[str]:
    """What makes the command that follows an ordinary user's: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]


def _run(command: Sequence[str | Path], folder: Path) -> None:
    subprocess.run([*_ordinary_user(), *command], cwd=folder, check=True, capture_output=True, timeout=READY_S)


def _database(folder: Path) -> Database:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return Database(port=port, socket=folder / f".s.PGSQL.{port}")


def _wait_until_ready(server: subprocess.Popen[bytes], database: Database, folder: Path) -> None:
    deadline = time.monotonic() + READY_S
    question = [programs()[-1] / "pg_isready", "--quiet", "--host", folder, "--port", database.port]
    while subprocess.run([str(word) for word in question], cwd=folder, check=False).returncode != 0:
        assert server.poll() is None, "PostgreSQL ended"
        assert time.monotonic() < deadline, "PostgreSQL did not get ready"
        time.sleep(0.05)
