"""The processes of a stack: found, killed, thawed. The standard library alone: the keeper runs with nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path

MARK = "HOPCOST_STACK"  # in every program's environment: the directory of its stack
KILL_S = 10.0  # at most: thousands of processes take seconds to die


def members(leader: int, cgroups: list[Path]) -> list[int]:
    """The processes of a stack: those of its first cgroup and of the cgroups in it, else those of its session."""
    if not cgroups:
        return session_members(leader)
    return [pid for path in tree(cgroups[0]) for pid in pids_in(path)]


def tree(cgroup: Path) -> list[Path]:
    """A stack's cgroup and those of its programs, these first; none when it is gone."""
    try:
        return [*sorted(path for path in cgroup.iterdir() if path.is_dir()), cgroup]
    except OSError:
        return []


def pids_in(cgroup: Path) -> list[int]:
    """The processes in this very cgroup."""
    try:
        return [int(pid) for pid in (cgroup / "cgroup.procs").read_text().split() if pid != "0"]
    except OSError:
        return []


def kill(pids: list[int], cgroups: list[Path]) -> None:
    """SIGKILL to all of them; first by their cgroups if the kernel can, since programs may fork meanwhile."""
    for cgroup in cgroups:
        with contextlib.suppress(OSError):  # version 1, or a kernel before 5.14
            (cgroup / "cgroup.kill").write_text("1")
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def remove(directory: Path, cgroups: list[Path]) -> None:
    """Remove a stack's directory and its empty cgroups."""
    for path in [path for cgroup in cgroups for path in tree(cgroup)]:
        with contextlib.suppress(OSError):
            path.rmdir()
    shutil.rmtree(directory, ignore_errors=True)


def session_members(session: int) -> list[int]:
    """The live processes of a session but its leader."""
    pids = []
    for pid in (int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()):
        with contextlib.suppress(OSError, IndexError):
            fields = stat_fields(pid)
            if pid != session and int(fields[3]) == session and fields[0] != "Z":
                pids.append(pid)
    return pids


def stat_fields(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat behind the process's name, its state first; OSError if it is gone."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def thaw(cgroup: Path | None, members: list[int]) -> None:
    """Let frozen processes run, by whichever means they were frozen."""
    if cgroup is None:
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        return
    with contextlib.suppress(OSError):
        if (cgroup / "cgroup.freeze").exists():
            (cgroup / "cgroup.freeze").write_text("0")
        else:
            (cgroup / "freezer.state").write_text("THAWED")
