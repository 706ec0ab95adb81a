"""The cgroup of a socket's creator: where it lies, who is in it, and the CPU time that it counts.

Anybody may read these files, even where file descriptors of the processes cannot be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hopcost.machine.proc import VERSION_2, cgroup_mounts, read_text

ACCOUNT, MEMBERS = "cpu.stat", "cgroup.procs"
USED = "usage_usec"
FIRST_PID = 1


def cgroup_of(cgroup_id: int, mounts: str | None = None) -> Path | None:
    """The folder of the cgroup with this id; None if it is not to be seen from here, as out of a container.

    The id of a cgroup of version 2 is its folder's inode. `mounts` is the text of /proc/mounts, read if absent.
    """
    text = read_text("/proc/mounts") if mounts is None else mounts
    for mount in cgroup_mounts(text or ""):
        if VERSION_2 in mount.controllers:
            for folder, inode in _folders(mount.folder):
                if inode == cgroup_id:
                    return folder
    return None


def countable_cgroup(cgroup_id: int | None, own: int, mounts: str | None = None) -> Path | None:
    """The same if its CPU time may stand for a server's; None if it holds the whole machine, or `own`, this process.

    A socket that systemd made for a service is of systemd's cgroup, in which process 1 is.
    """
    folder = None if cgroup_id is None else cgroup_of(cgroup_id, mounts)
    if folder is None or folder.is_mount() or cpu_ns(folder) is None:
        return None
    return folder if {own, FIRST_PID}.isdisjoint(pids_below(folder)) else None


def pids_below(folder: Path) -> list[int]:
    """The processes in a cgroup and in those below it; 0, which stands for one of another namespace, left out."""
    texts = (read_text(below / MEMBERS) for below, _ in _folders(folder))
    return [int(word) for text in texts for word in (text or "").split() if word != "0"]


def cpu_ns(folder: Path) -> int | None:
    """CPU time that a cgroup and those below it have used, in ns; None if it is gone or does not count."""
    for line in (read_text(folder / ACCOUNT) or "").splitlines():
        name, _, value = line.partition(" ")
        if name == USED and value.isdigit():
            return int(value) * 1000
    return None


def _folders(top: Path) -> Iterator[tuple[Path, int]]:
    """A folder and all below it with their inodes; those that cannot be read are left out."""
    try:
        yield top, top.stat().st_ino
    except OSError:
        return
    left = [top]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                below = [(Path(entry.path), entry.inode()) for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        yield from below
        left += [folder for folder, _ in below]
