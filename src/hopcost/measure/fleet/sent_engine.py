"""The load engine on the generator's machine: this machine's own, sent once, or one that is there already."""

from __future__ import annotations

import gzip
import hashlib
import platform
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

from hopcost.errors import CannotMeasure
from hopcost.machine import binaries
from hopcost.measure.fleet.edges import Builds
from hopcost.measure.fleet.reading import MachineFacts
from hopcost.measure.fleet.ssh import scripts
from hopcost.measure.fleet.ssh.connection import Connection
from hopcost.measure.fleet.ssh.scripts import Finished

NAME = "hopcost-engine"
NO_SPACE = "No space left on device"
DIGEST_CHARACTERS = 16  # of the file's name there
VERSION_S = 10.0


class SentEngine(NamedTuple):
    """Where it is there, and the digest of this machine's (None: it is another build)."""

    path: str
    sha256: str | None
    version: str

    @property
    def builds(self) -> Builds:
        """What the agent must know of it."""
        return Builds.ANY if self.sha256 is None else Builds.SAME


def send_engine(connection: Connection, facts: MachineFacts) -> SentEngine:
    """The engine there, sent if it is not there yet; CannotMeasure if none can run there."""
    here = binaries.require(NAME)
    version = _version_here(here)
    if facts.architecture != platform.machine():
        return _installed(connection, facts, version)
    content = here.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    name = f"{NAME}-{digest[:DIGEST_CHARACTERS]}"
    path, known = _find(connection, name)
    if known != digest:
        sent = connection.run(scripts.PUT_ENGINE, path, data=gzip.compress(content, compresslevel=1))
        _, known = _find(connection, name)
        if sent.status != 0 or known != digest:
            raise _not_sent(connection, path, sent)
    _require_version(connection, path, version)
    return SentEngine(path, digest, version)


def _find(connection: Connection, name: str) -> tuple[str, str | None]:
    """Where it belongs, and the digest of what is there."""
    lines = connection.run(scripts.FIND_ENGINE, name).output.splitlines()
    if not lines:
        raise CannotMeasure(
            f"{connection.role} ({connection.login.host}): no command can be run there",
            f"ssh {connection.login.words()} uname -a must print a line",
        )
    return lines[0], lines[1] if len(lines) > 1 else None


def _installed(connection: Connection, facts: MachineFacts, version: str) -> SentEngine:
    """That machine's own, which the user has built for it."""
    there = connection.run(scripts.VERSION, NAME)
    if there.status != 0:
        raise CannotMeasure(
            f"{connection.role} ({connection.login.host}) is {facts.architecture or 'of an unknown architecture'}, this"
            f" machine {platform.machine()}: its own {NAME} is needed, and it has none",
            f"install hopcost {version.rpartition(' ')[2]} there, so that `ssh {connection.login.words()} {NAME}"
            " --version` prints it",
        )
    _require_version(connection, NAME, version)
    path = connection.run('command -v "$1"', NAME).output.strip()
    return SentEngine(path, None, version)


def _require_version(connection: Connection, path: str, version: str) -> None:
    there = connection.run(scripts.VERSION, path)
    where = f"{connection.role} ({connection.login.host})"
    if there.status != 0:
        raise CannotMeasure(
            f"{where}: {path} does not run there: {there.last_line}",
            "a folder without noexec is needed: set XDG_CACHE_HOME there, in the shell's profile",
        )
    if there.output.strip() != version:
        raise CannotMeasure(
            f"{where}: {path} is {there.output.strip() or 'of no version'}, this machine's {version}",
            "both machines need the same version of hopcost",
        )


def _not_sent(connection: Connection, path: str, sent: Finished) -> CannotMeasure:
    where = f"{connection.role} ({connection.login.host})"
    folder = shlex.quote(str(Path(path).parent))
    if NO_SPACE in sent.errors:
        return CannotMeasure(
            f"{where}: no room for the load engine in {folder}", f"df -h {folder} there, and make room"
        )
    return CannotMeasure(f"{where}: the load engine cannot be put into {folder}: {sent.last_line}", None)


def _version_here(path: Path) -> str:
    run = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False)
    return run.stdout.strip()
