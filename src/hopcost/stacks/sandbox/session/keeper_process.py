"""The keeper as this process talks to it, in JSON lines: orders go to it, answers and exits of programs come back."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import IO, Any

from hopcost.errors import MeasurementFailed
from hopcost.stacks.sandbox import keeper

ANSWER_S = 10.0


class KeeperProcess:
    """A keeper that was started with its first order; what it complains about goes into `errors`.

    `exited` are the programs that have ended by themselves, as far as was read, with their exit statuses.
    """

    def __init__(self, order: Mapping[str, Any], errors: IO[bytes]) -> None:
        self._errors = errors
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        self._buffered = b""
        self.exited: dict[str, int] = {}

    @property
    def pid(self) -> int:
        """The keeper's, which is that of its session."""
        return self._process.pid

    def order(self, order: Mapping[str, Any]) -> None:
        """Tell it something to do. MeasurementFailed if it is gone."""
        assert self._process.stdin is not None, "opened with a pipe"
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise MeasurementFailed(f"the stack's keeper is gone: {self._last_words() or error}") from error

    def answer(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next line that is wanted; exits that come before it are noted. MeasurementFailed if none comes."""
        deadline = time.monotonic() + ANSWER_S
        while time.monotonic() < deadline:
            if self._has_output(0.1):
                lines = self._read()
                if lines is None:
                    break
                for line in lines:
                    if is_wanted(line):
                        return line
        raise MeasurementFailed(f"the stack's keeper did not answer: {self._last_words()}")

    def poll(self) -> dict[str, int]:
        """Programs that have ended by themselves by now, with their exit statuses (negative: the signal)."""
        while self._has_output(0.0) and self._read():
            pass
        return self.exited

    def end(self, wait_s: float) -> bool:
        """Close its input, at which it removes everything and ends; whether it did so well within the time."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=wait_s)
        self._errors.close()
        return self._process.poll() == 0

    def kill(self) -> None:
        """End it at once, and wait for its end."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def _has_output(self, wait_s: float) -> bool:
        assert self._process.stdout is not None, "opened with a pipe"
        return bool(select.select([self._process.stdout], [], [], wait_s)[0])

    def _read(self) -> list[dict[str, Any]] | None:
        """Lines that have come, exits noted; None at the end of its output."""
        assert self._process.stdout is not None, "opened with a pipe"
        chunk = os.read(self._process.stdout.fileno(), 65536)
        if not chunk:
            return None
        *lines, self._buffered = (self._buffered + chunk).split(b"\n")
        answers = [json.loads(line) for line in lines]
        for answer in answers:
            if "exited" in answer:
                self.exited[answer["exited"]] = answer["status"]
        return answers

    def _last_words(self) -> str:
        """The end of what it wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()[-500:]
