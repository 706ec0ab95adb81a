"""The apps of tests/systems/apps: how a user starts each, and what hopcost has to find out about it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from places import ROOT
from systems import database

from hopcost.programs.build.cache import cache_folder

APPS = ROOT / "tests" / "systems" / "apps"
PACKAGES = cache_folder() / f"apps-{hashlib.sha256((APPS / 'requirements.txt').read_bytes()).hexdigest()[:16]}"
READY_S = 60.0
# Else gunicorn leaves a socket in the user's home.
TIDY = {"GUNICORN_CMD_ARGS": "--no-control-socket"}


@dataclass(frozen=True)
class RealApp:
    """A command, the folder where it is given, and the truth about the app."""

    name: str
    command: tuple[str, ...]
    folder: Path
    keeps_connections: bool = True
    idle_timeout_s: float | None = None  # None: longer than a probe waits, or it keeps none

    def words(self, port: int) -> list[str]:
        """The command for a port."""
        return [word.replace("{port}", str(port)) for word in self.command]


def _python(program: str, *words: str) -> tuple[str, ...]:
    return (str(PACKAGES / "bin" / program), *words)


EXPRESS = RealApp("express", ("node", "server.js"), APPS / "express", idle_timeout_s=5)
UVICORN = RealApp(
    "uvicorn", _python("uvicorn", "main:app", "--port", "{port}", "--no-access-log"), APPS / "fastapi", idle_timeout_s=5
)
GUNICORN = RealApp(
    "gunicorn",
    _python("gunicorn", "app:app", "--workers", "2", "--bind", "127.0.0.1:{port}"),
    APPS / "flask",
    keeps_connections=False,
)
THREADS = RealApp(
    "gunicorn-threads",
    _python("gunicorn", "app:app", "--threads", "4", "--bind", "127.0.0.1:{port}"),
    APPS / "flask",
    idle_timeout_s=2,
)
DJANGO = RealApp(
    "django",
    _python("gunicorn", "shop", "--threads", "4", "--bind", "127.0.0.1:{port}"),
    APPS / "django",
    idle_timeout_s=2,
)


def go_app(folder: Path) -> RealApp:
    """The Go app, built into this folder."""
    subprocess.run(
        ["go", "build", "-trimpath", "-o", folder / "shop", "."], cwd=APPS / "go", check=True, capture_output=True
    )
    return RealApp("go", (str(folder / "shop"),), APPS / "go")


def php_programs() -> list[Path]:
    """PHP-FPM of each version that is installed; its name has the version."""
    return sorted(Path("/usr/sbin").glob("php-fpm*"))


def php_app() -> RealApp:
    """PHP-FPM, as root where the test is root."""
    program = php_programs()[-1]
    return RealApp("php", (str(program), "-F", "-R", "-y", "php-fpm.conf"), APPS / "php")


def missing() -> list[str]:
    """What `tools/setup systems` would install."""
    files = {
        "the packages of Python": PACKAGES / "complete",
        "Express": APPS / "express" / "node_modules" / "express",
        "PHP-FPM": next(iter(php_programs()), None),
        "PostgreSQL": next(iter(database.programs()), None),
    }
    absent = [name for name, file in files.items() if file is None or not file.exists()]
    return absent + [tool for tool in ("node", "go") if shutil.which(tool) is None]


@contextmanager
def running(app: RealApp, environment: Mapping[str, str] | None = None) -> Iterator[int]:
    """The app as its user runs it, without hopcost: the port where it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        app.words(port),
        cwd=app.folder,
        env=os.environ | TIDY | {"PORT": str(port)} | dict(environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_listening(process, port)
        yield port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its workers too
        process.wait()


def ask(port: int) -> int:
    """The status of an answer."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=READY_S) as answer:
        status: int = answer.status
    return status


def _wait_until_listening(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        assert process.poll() is None, f"the app ended with {process.returncode}"
        assert time.monotonic() < deadline, "the app did not get ready"
        time.sleep(0.05)
