"""Freezing a server that somebody else started: whether it is allowed, and who thaws it if hopcost dies."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable
from types import TracebackType

from hopcost.errors import CannotMeasure
from hopcost.stacks.attached import thawer
from hopcost.stacks.sandbox.processes import stat_fields

ENDS_S = 5.0


def refuse_unfreezable(where: str, pids: Iterable[int]) -> None:
    """CannotMeasure if one of them may not be frozen by this user, or is hopcost itself or what started it."""
    own = _ancestors(os.getpid())
    for pid in pids:
        if pid in own:
            raise CannotMeasure(
                f"{where}: pid {pid} started hopcost: frozen, both would stand still", "without --freeze"
            )
        try:
            os.kill(pid, 0)
        except PermissionError as error:
            raise CannotMeasure(
                f"{where}: pid {pid} is another user's, and may not be frozen by this one",
                "run as that user or as root, or without --freeze",
            ) from error
        except ProcessLookupError as error:
            raise CannotMeasure(f"{where}: pid {pid} has ended", "is the server restarted meanwhile?") from error


class Thawer:
    """A process beside the harness that lets these processes run at the end, also if the harness is killed."""

    def __init__(self, pids: Iterable[int]) -> None:
        words = [f"{pid}-{began}" for pid in pids if (began := thawer.began(pid)) is not None]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", thawer.__file__, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Thawer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._process.communicate(thawer.DONE, timeout=ENDS_S)


def _ancestors(pid: int) -> set[int]:
    """The process and all those above it."""
    family: set[int] = set()
    while pid > 1 and pid not in family:
        family.add(pid)
        try:
            pid = int(stat_fields(pid)[1])
        except OSError:
            break
    return family
