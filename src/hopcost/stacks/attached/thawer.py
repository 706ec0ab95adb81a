"""Lets frozen processes of others run again, whatever happens to the harness.

A process of its own, run as a script with the standard library alone. Its arguments are the processes, each as
`PID-BEGAN` (the second is field 22 of /proc/PID/stat: pids come again). When its input says `done`, they are thawed and
it ends. When its input ends without a word (the harness crashed, or was killed), it thaws them for some seconds: the
engine may not have ended yet, and freeze them once more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

DONE = b"done"
ENGINE_ENDS_S, AGAIN_S = 3.0, 0.05


def began(pid: int) -> str | None:
    """When the process began, in the kernel's ticks; None if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def thaw(words: list[str]) -> None:
    """SIGCONT to each of them that is still the same process."""
    for word in words:
        pid, _, began_then = word.partition("-")
        if began(int(pid)) == began_then:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid), signal.SIGCONT)


def main() -> None:
    """Wait for the end of the input."""
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    words, heard = sys.argv[1:], b""
    while chunk := os.read(0, 64):
        heard += chunk
    thaw(words)
    deadline = time.monotonic() + (0.0 if heard == DONE else ENGINE_ENDS_S)
    while time.monotonic() < deadline:
        time.sleep(AGAIN_S)
        thaw(words)


if __name__ == "__main__":
    main()
