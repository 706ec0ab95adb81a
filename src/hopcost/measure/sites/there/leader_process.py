"""A site's leader as its worker talks to it: orders go to it, lines come back. It ends if its input does."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.measure.sites.messages import Doing, LeaderLine

LEADER = "hopcost.measure.sites.there.leader"
SILENCE_S = 12.0  # it says something every two seconds
END_S = 4.5  # less than the lifeline waits
CHUNK_BYTES = 1 << 16


class LeaderProcess:
    """A leader in this process's session; `folder` is for its files, and is removed by others."""

    def __init__(self, folder: Path, *, alone: bool) -> None:
        self._errors = (folder / "leader.log").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, "-m", LEADER, str(folder), "alone" if alone else "apart"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._buffered = b""
        self._decoder = msgspec.json.Decoder(LeaderLine)
        self._asking = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, order: bytes, on_doing: Callable[[Doing], None]) -> bytes:
        """Its answer to an order, a line of JSON. MeasurementFailed if it ends or falls silent: it is dead then."""
        assert self._process.stdin is not None, "opened with a pipe"
        with self._asking:
            try:
                self._process.stdin.write(order + b"\n")
                self._process.stdin.flush()
            except OSError as error:
                raise MeasurementFailed(f"the site's leader is gone: {self._last_words() or error}") from error
            while True:
                line = self._line()
                answer = self._decoder.decode(line)
                if not isinstance(answer, Doing):
                    return line
                if answer.arm is not None:
                    on_doing(answer)

    def end(self) -> None:
        """Close its input, and wait for its end; kill it if it does not come."""
        assert self._process.stdin is not None, "opened with a pipe"
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        self.kill()

    def kill(self) -> None:
        """At once."""
        self._process.kill()
        self._process.wait()

    def _line(self) -> bytes:
        assert self._process.stdout is not None, "opened with a pipe"
        pieces, deadline = [self._buffered], time.monotonic() + SILENCE_S
        while b"\n" not in pieces[-1]:
            if not select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self.kill()
                raise MeasurementFailed(f"the site's leader said nothing for {SILENCE_S:g} s, and was killed")
            chunk = os.read(self._process.stdout.fileno(), CHUNK_BYTES)
            if not chunk:
                self._process.wait()
                code = self._process.returncode
                raise MeasurementFailed(f"the site's leader ended ({code}): {self._last_words()}")
            pieces.append(chunk)
        line, _, self._buffered = b"".join(pieces).partition(b"\n")
        return line

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()[-500:]
