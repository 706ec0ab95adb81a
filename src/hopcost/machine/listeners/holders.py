"""Which processes hold a socket: the links in /proc/PID/fd. Those of other users cannot be read without root."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

BEGIN, END = "socket:[", "]"


def find_holders(inodes: Collection[int], pids: Iterable[int] | None = None) -> dict[int, set[int]]:
    """The pids that hold each of these sockets, among `pids` or among all; none for a socket if it cannot be seen."""
    holders: dict[int, set[int]] = {inode: set() for inode in inodes}
    for pid in all_pids() if pids is None else pids:
        for inode in sockets_of(pid) & holders.keys():
            holders[inode].add(pid)
    return holders


def all_pids() -> list[int]:
    """All processes that are visible here."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - hundreds of times a second


def sockets_of(pid: int) -> set[int]:
    """The inodes of a process's sockets; none if it is gone or may not be read."""
    inodes = set()
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                inode = inode_of(str(Path(entry.path).readlink()))
                if inode is not None:
                    inodes.add(inode)
    return inodes


def inode_of(target: str) -> int | None:
    """The socket that a link names.

    >>> inode_of("socket:[4242]"), inode_of("/dev/null")
    (4242, None)
    """
    number = target.removeprefix(BEGIN).removesuffix(END)
    return int(number) if target.startswith(BEGIN) and number.isdigit() else None


def union(holders: Mapping[int, set[int]], inodes: Iterable[int]) -> set[int]:
    """The holders of any of these sockets: all workers of a SO_REUSEPORT group have one each.

    >>> union({1: {7, 8}, 2: {9}}, [1, 2])
    {8, 9, 7}
    """
    return {pid for inode in inodes for pid in holders.get(inode, ())}
