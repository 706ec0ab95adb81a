"""What a kept run was made with: method, engine and machine. Runs of others never stand in one table with it."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from hopcost import __version__
from hopcost.errors import CannotMeasure
from hopcost.machine import binaries, facts
from hopcost.plan.method import METHOD
from hopcost.stacks.awake import IdleCores, keep_awake

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "crates" / "engine" / "src"
# The engine's hot path, and the edges of its slices: what can change a figure. Its command line and its output cannot.
ROOMS = ("client", "io", "recorder", "schedule", "session", "wire")
NAMELESS_METHOD = 2  # lines that name no method are of this one


class Build(msgspec.Struct, frozen=True):
    """The method and the engine: its commit (`-dirty` if the checkout had changes), the number of its behaviour.

    `digest` is of the sources in ROOMS; empty in lines that were kept before it was.
    """

    version: str
    commit: str
    behaviour: int
    method: int = NAMELESS_METHOD
    digest: str = ""

    def is_same_engine(self, other: Build) -> bool:
        """Whether both send, time and count alike: by the number, and by the sources."""
        return (self.behaviour, self.digest) == (other.behaviour, other.digest)


class Machine(msgspec.Struct, frozen=True):
    """The machine, as far as figures of two of them cannot stand in one table."""

    cpu: str | None
    kernel: object
    cores: int
    idle_cores: IdleCores = IdleCores.AS_SET

    @property
    def words(self) -> str:
        """`Abacus 2, 2 cores, Linux 6.1, idle cores awake`."""
        return f"{self.cpu}, {self.cores} cores, Linux {self.kernel}, idle cores {self.idle_cores.value}"


def build() -> Build:
    """The method and the engine of this checkout (`make truth` builds it first)."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return Build(
        version=__version__,
        commit=commit.stdout.strip(),
        behaviour=METHOD.engine,
        method=METHOD.number,
        digest=engine_digest(),
    )


def require_built(binary: Path | None = None, sources: Path = SOURCES) -> None:
    """CannotMeasure if the engine is older than its sources: lines would carry the digest of another one."""
    binary = binary or binaries.require("hopcost-engine")
    newest = max(_files(sources), key=lambda path: path.stat().st_mtime_ns)
    if newest.stat().st_mtime_ns > binary.stat().st_mtime_ns:
        raise CannotMeasure(f"{binary} is older than {newest.relative_to(sources)}", "build it: make setup")


def this_machine() -> Machine:
    """The machine of this process; its idle cores are kept awake from now on, as in every run of hopcost."""
    cores = len(facts.allowed_cores())
    return Machine(cpu=facts.cpu_model(), kernel=facts.facts().kernel, cores=cores, idle_cores=keep_awake())


@cache
def engine_digest() -> str:
    """Of the sources of this checkout, read once."""
    return digest(SOURCES)


def digest(sources: Path) -> str:
    """Twelve hex digits over paths and contents of the Rust files in ROOMS, tests left out."""
    whole = hashlib.sha256()
    for path in _files(sources):
        content = path.read_bytes()
        whole.update(f"{path.relative_to(sources)} {len(content)}\n".encode() + content)
    return whole.hexdigest()[:12]


def _files(sources: Path) -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((sources / room).rglob("*.rs")):
            if "tests" not in (path.stem, *path.relative_to(sources).parts):
                yield path
