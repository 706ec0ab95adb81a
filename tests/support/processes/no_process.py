"""A switch that forbids this process to start another one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system"}

_state = {"forbidden": False}  # an audit hook can never be removed, so it asks this


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if _state["forbidden"] and event in STARTS:
        # A BaseException: no `except Exception` of the code under test can hide it.
        raise pytest.fail.Exception(f"a unit test starts a process: {event} {arguments[:2]}")


sys.addaudithook(_refuse)


@contextmanager
def no_process() -> Iterator[None]:
    """Whoever starts a process inside fails, before the process is there."""
    before = _state["forbidden"]
    _state["forbidden"] = True
    try:
        yield
    finally:
        _state["forbidden"] = before
