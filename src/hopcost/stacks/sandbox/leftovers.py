"""What a run makes on the machine has its owner in its name. Find and remove what dead owners left behind.

The owner is a process: its pid, its start time (pids come again) and its pid namespace (pids of another one say nothing
here). A living owner's things are never touched, so runs at the same time do not harm each other.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path

import msgspec
import psutil

from hopcost.machine.proc import VERSION_2, cgroup_mounts
from hopcost.stacks.sandbox import processes
from hopcost.stacks.sandbox.processes import KILL_S, MARK

DIRECTORY_PREFIX = "hopcost-stack-"  # of stacks, in a folder for temporary files
CGROUP_PREFIX = "hopcost-"  # and of other temporary folders
HIERARCHIES = {VERSION_2, "freezer", "cpuacct"}  # that hopcost makes cgroups in
_OWNER = re.compile(r"^(?:hopcost-stack-|hopcost-)(\d+)-(\d+)-([0-9a-f]+)-")


class Kind(Enum):
    """What can be left; processes first, since they hold the others."""

    PROCESS = "process"
    CGROUP = "cgroup"
    DIRECTORY = "directory"


class Leftover(msgspec.Struct, frozen=True):
    """A thing whose owner is dead: a pid, or a path."""

    kind: Kind
    what: str


@cache
def _pid_namespace() -> str:
    return f"{Path('/proc/self/ns/pid').stat().st_ino:x}"


def owner(pid: int | None = None) -> str:
    """This process (or another one), as names have it."""
    return f"{pid or os.getpid()}-{_start_time(pid or os.getpid())}-{_pid_namespace()}"


def _start_time(pid: int) -> int | None:
    """In the kernel's ticks since boot; None when there is no such process, or it is dead and only not yet reaped."""
    try:
        fields = processes.stat_fields(pid)
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_alive(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    return _start_time(pid) is not None


def is_left(name: str) -> bool:
    """Whether this is the name of something whose owner, of this pid namespace, is dead."""
    owner = _OWNER.match(name)
    if owner is None or owner[3] != _pid_namespace():
        return False
    return _start_time(int(owner[1])) != int(owner[2])


def is_in_use(name: str) -> bool:
    """Whether it has an owner who may be alive: one of another pid namespace cannot be asked."""
    return _OWNER.match(name) is not None and not is_left(name)


def find_leftovers() -> list[Leftover]:
    """What dead runs have left, as far as this user sees it: processes, then cgroups from the leaves, directories."""
    return _find(is_left)


def find_in_use() -> list[Leftover]:
    """The same of living runs; nobody but they may remove it."""
    return _find(is_in_use)


def _find(is_wanted: Callable[[str], bool]) -> list[Leftover]:
    cgroups = [path for path in find_cgroups() if is_wanted(path.name) or is_wanted(path.parent.name)]
    directories = [path for path in _directories() if is_wanted(path.name)]
    pids = {pid for path in cgroups for pid in processes.pids_in(path)} | set(_marked(is_wanted))
    return [
        *(Leftover(kind=Kind.PROCESS, what=str(pid)) for pid in sorted(pids)),
        *(Leftover(kind=Kind.CGROUP, what=str(path)) for path in sorted(cgroups, key=lambda path: -len(path.parts))),
        *(Leftover(kind=Kind.DIRECTORY, what=str(path)) for path in sorted(directories)),
    ]


def remove_leftovers() -> list[Leftover]:
    """Remove what dead runs have left, and return it. What may not be removed stays; `find_leftovers` tells it."""
    remains = find_leftovers()
    cgroups = [Path(leftover.what) for leftover in remains if leftover.kind is Kind.CGROUP]
    pids = [int(leftover.what) for leftover in remains if leftover.kind is Kind.PROCESS]
    processes.kill(pids, cgroups)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)
    for path in cgroups:
        processes.thaw(path, [])  # a version 1 freezer holds back even SIGKILL
    deadline = time.monotonic() + KILL_S
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    for path in cgroups:
        with contextlib.suppress(OSError):
            path.rmdir()
    for leftover in remains:
        if leftover.kind is Kind.DIRECTORY:
            shutil.rmtree(leftover.what, ignore_errors=True)
    return remains


def _directories() -> Iterator[Path]:
    folders = {Path("/tmp")}
    with contextlib.suppress(OSError):  # no folder can be written: the first stack says so
        folders.add(Path(tempfile.gettempdir()))
    for folder in folders:
        with contextlib.suppress(OSError):
            yield from (path for path in folder.glob(f"{CGROUP_PREFIX}*") if _is_ours(path))


def _is_ours(path: Path) -> bool:
    try:
        return os.geteuid() in (0, path.lstat().st_uid) and path.is_dir() and not path.is_symlink()
    except OSError:
        return False


def find_cgroups() -> Iterator[Path]:
    """Cgroups of stacks and of their hops in each hierarchy that hopcost uses."""
    mounts = cgroup_mounts(Path("/proc/mounts").read_text())
    for root in sorted({os.path.realpath(mount.folder) for mount in mounts if mount.controllers & HIERARCHIES}):
        for folder, below, _ in os.walk(root):
            for name in below:
                if name.startswith(CGROUP_PREFIX) or Path(folder).name.startswith(CGROUP_PREFIX):
                    yield Path(folder) / name


def _marked(is_wanted: Callable[[str], bool]) -> Iterator[int]:
    """Processes of such stacks, by the mark in their environment, or by their working directory."""
    for process in psutil.process_iter():
        with contextlib.suppress(OSError, psutil.Error):
            marks = [
                word.partition(b"=")[2] for word in _environment(process.pid) if word.startswith(MARK.encode() + b"=")
            ]
            folder = str(Path(f"/proc/{process.pid}/cwd").readlink()).removesuffix(" (deleted)")
            names = [Path(path).name for path in [*map(os.fsdecode, marks), folder]]
            if any(name.startswith(DIRECTORY_PREFIX) and is_wanted(name) for name in names):
                yield process.pid


def _environment(pid: int) -> list[bytes]:
    return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
