"""What an nginx in a jail holds between requests, seen from outside: files that it keeps open, files of its caches."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from hopcost.stacks.running.stack import RunningStack

MOST_FILES = 10_000  # of a cache that are counted


def open_files(stack: RunningStack) -> int | None:
    """How many files of a disk the first hop's processes have open, each once; None if nobody may look."""
    held: set[tuple[int, int]] = set()
    for pid in stack.processes[stack.prepared.hops[0].name]:
        try:
            descriptors = os.listdir(f"/proc/{pid}/fd")  # noqa: PTH208 - names are all that is needed
        except OSError:
            return None
        for descriptor in descriptors:
            try:
                status = os.stat(f"/proc/{pid}/fd/{descriptor}")  # noqa: PTH116 - of the file that it leads to
            except OSError:
                continue  # closed meanwhile
            if stat.S_ISREG(status.st_mode):
                held.add((status.st_dev, status.st_ino))
    return len(held)


def cached_files(stack: RunningStack, folders: Iterable[str]) -> int:
    """How many files lie below these folders of the jail."""
    hop = stack.prepared.hops[0]
    assert hop.jail is not None, "the hop is somebody's own configuration"
    root = hop.jail.root_of(stack.processes[hop.name][0])
    count = 0
    for folder in folders:
        for _, _, names in os.walk(root / folder.lstrip("/")):
            count += len(names)
            if count > MOST_FILES:
                break
    return count
