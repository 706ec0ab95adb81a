"""What a stack runs in: cores, the means to freeze it, ports, open files.

It must not know programs or experiments.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from hopcost import host
from hopcost.errors import CannotMeasure
from hopcost.suite import Placement

FIRST_PORT, LAST_PORT = 10_000, 65_000


class Cores(msgspec.Struct, frozen=True):
    """Core numbers of the stack and of the generator; they overlap only where the placement says so."""

    stack: list[int]
    generator: list[int]

    @property
    def shared(self) -> bool:
        """Whether the generator takes CPU time from the stack's cores."""
        return bool(set(self.stack) & set(self.generator))


def place(placement: Placement, allowed: list[int], siblings: dict[int, list[int]]) -> Cores:
    """Cores for the stack and for the generator out of those allowed.

    `siblings` gives for a core those that share its physical core: a generator there would slow the stack, so another
    one is taken. CannotMeasure when there are too few cores.
    """
    match placement:
        case Placement.ALL_CORES:
            return Cores(stack=allowed, generator=[allowed[-1]])
        case Placement.ONE_CORE:
            stack = allowed[0]
            others = [core for core in allowed if core not in {stack, *siblings.get(stack, [])}]
            if not others:
                raise CannotMeasure(
                    "one core for the stack and another for the generator: this machine has one core to give",
                    "choose an experiment on all cores",
                )
            return Cores(stack=[stack], generator=[others[-1]])


class Freezer(msgspec.Struct, frozen=True):
    """How a stack is frozen: a folder of a cgroup hierarchy to make cgroups in, or none (SIGSTOP)."""

    kind: str  # "cgroup2", "cgroup1", "signal"
    parent: str | None

    def cgroup(self, name: str) -> Path | None:
        """Where a stack's cgroup of this name is to be made."""
        return Path(self.parent) / name if self.parent is not None else None


def find_freezer(mounts: str | None = None, own: str | None = None) -> Freezer:
    """The best means to freeze that this user may use: cgroup v2, then v1's freezer, then signals.

    A version 2 tree comes first, because there even a frozen process can be killed. Arguments: the texts of
    /proc/mounts and /proc/self/cgroup, read when absent.
    """
    mounts = Path("/proc/mounts").read_text() if mounts is None else mounts
    own = Path("/proc/self/cgroup").read_text() if own is None else own
    membership = {line.split(":", 2)[1]: line.split(":", 2)[2] for line in own.splitlines() if line.count(":") >= 2}
    for kind, key in (("cgroup2", ""), ("cgroup1", "freezer")):
        for mount in (line.split() for line in mounts.splitlines()):
            if len(mount) < 4 or key not in membership:
                continue
            is_it = (
                mount[2] == "cgroup2"
                if kind == "cgroup2"
                else mount[2] == "cgroup" and "freezer" in mount[3].split(",")
            )
            if is_it:
                parent = Path(mount[1]) / membership[key].lstrip("/")
                if _can_freeze(parent):
                    return Freezer(kind=kind, parent=str(parent))
    return Freezer(kind="signal", parent=None)


def _can_freeze(parent: Path) -> bool:
    """Tried, not guessed: a cgroup can be made here, has the freezer's file, and processes may be moved into it."""
    trial = parent / f"hopcost-trial-{os.getpid()}"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        movable = os.access(trial / "cgroup.procs", os.W_OK) and os.access(parent / "cgroup.procs", os.W_OK)
        return movable and any((trial / name).exists() for name in ("cgroup.freeze", "freezer.state"))
    finally:
        with contextlib.suppress(OSError):
            trial.rmdir()


class Ports:
    """Free ports of the loopback address outside ip_local_port_range, so that no client's port takes one."""

    def __init__(self) -> None:
        low, high = (int(word) for word in Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
        usable = [port for port in range(FIRST_PORT, LAST_PORT) if not low <= port <= high]
        if not usable:
            raise CannotMeasure(
                f"no ports between {FIRST_PORT} and {LAST_PORT} lie outside ip_local_port_range ({low} to {high})",
                "sysctl net.ipv4.ip_local_port_range='32768 60999'",
            )
        first = os.getpid() * 64 % len(usable)  # two runs at once begin in different places
        self._candidates: Iterator[int] = itertools.chain(usable[first:], usable[:first])

    def take(self) -> int:
        """The next free port."""
        for port in self._candidates:
            if host.port_is_free(port):
                return port
        raise CannotMeasure("no free port is left")

    @staticmethod
    def claim(port: int, where: str) -> int:
        """The port that the suite asks for; CannotMeasure when it is taken."""
        if not host.port_is_free(port):
            raise CannotMeasure(
                f"{where}: port {port} is taken",
                f"see who has it: ss -ltnp 'sport = :{port}'; or leave `port` out and hopcost takes a free one",
            )
        return port


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to the hard one; the limit that holds."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard if hard != resource.RLIM_INFINITY else sys.maxsize
