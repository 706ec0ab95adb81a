"""Go into another network namespace and come back. The standard library alone: the keeper's half uses this too."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

CLONE_NEWNET = 0x4000_0000
OWN = "/proc/thread-self/ns/net"

_libc = ctypes.CDLL(None, use_errno=True)


def enter(descriptor: int) -> None:
    """Move the calling thread into the namespace that an open file is."""
    if _libc.setns(descriptor, CLONE_NEWNET) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"a network namespace cannot be entered: {os.strerror(number)}")


@contextlib.contextmanager
def inside(path: str | None) -> Iterator[None]:
    """The calling thread in the namespace of this file; sockets made meanwhile stay there. None changes nothing."""
    if path is None:
        yield
        return
    with Path(OWN).open("rb") as home, Path(path).open("rb") as there:
        enter(there.fileno())
        try:
            yield
        finally:
            enter(home.fileno())
