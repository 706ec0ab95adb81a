"""The agent on this machine, where the stacks are: a child that freezes and thaws them as the engine elsewhere asks.

docs/reference/agent-protocol.md describes its order and its lines.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from types import TracebackType

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.machine import binaries
from hopcost.programs.generators import engine
from hopcost.programs.generators.agent import AgentEnded, AgentLine, AgentOrder, Listening, Refused

START_S = 10.0  # at most, until it listens
LOSS_S = 1.0  # at most, from the end of an engine to that of the agent
END_S = 5.0  # at most, from the end of its input to its own


class Agent:
    """An agent that listens. A context manager: at its end the agent ends, and every stack is thawed.

    It runs on these `cores`, on all without any. `on_end` is called from another thread once it has ended.
    CannotMeasure with its own words if it does not begin.
    """

    def __init__(self, order: AgentOrder, cores: Sequence[int] = (), on_end: Callable[[], None] = lambda: None) -> None:
        command = [str(binaries.require("hopcost-engine")), "agent"]
        taskset = shutil.which("taskset")
        if cores and taskset is not None:
            command = [taskset, "--cpu-list", ",".join(map(str, cores)), *command]
        self.cpu_ns = 0  # once it has ended
        self.refused: list[Refused] = []
        self.end: AgentEnded | None = None
        self._on_end = on_end
        self._listening: Listening | None = None
        self._heard = threading.Event()  # that it listens, or that it has ended
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the agent
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
        )
        self._reader = threading.Thread(target=self._read, name="hopcost-agent", daemon=True)
        self._reader.start()
        try:
            self._begin(order)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    @property
    def address(self) -> str:
        """Where it listens."""
        assert self._listening is not None, "it has begun"
        return self._listening.address

    @property
    def has_ended(self) -> bool:
        """Whether its last line is there, or its output has ended."""
        return self.end is not None or not self._reader.is_alive()

    def why_ended(self) -> str:
        """Why it ended though nobody told it to: its last line, or its words."""
        if self.end is not None:
            return f"{self.end.reason}: {self.end.message}"
        return self._words() or "it was killed"

    def has_lost_one(self) -> bool:
        """Whether it ended because an engine fell silent or was gone; engines that see it end may say so first."""
        self._reader.join(LOSS_S)
        return self.end is not None and self.end.reason in ("lease", "lost")

    def close(self) -> None:
        """End it: it thaws everything first."""
        assert self._process.stdin is not None and self._process.stdout is not None, "opened with pipes"
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        timer = threading.Timer(END_S, self._process.kill)
        timer.start()
        try:
            self._wait()
        finally:
            timer.cancel()
        self._reader.join(END_S)
        self._process.stdout.close()
        self._errors.close()

    def _begin(self, order: AgentOrder) -> None:
        assert self._process.stdin is not None, "opened with a pipe"
        with contextlib.suppress(BrokenPipeError):  # it ended early: its words say why
            self._process.stdin.write(msgspec.json.encode(order) + b"\n")
            self._process.stdin.flush()
        if not self._heard.wait(START_S):
            raise MeasurementFailed(f"the agent did not listen within {START_S:g} s: {self._words()}")
        if self._listening is None:
            self._wait()
            error = engine.failure_of(self._process.returncode, self._words())
            raise type(error)(f"the agent: {error.message}", error.hint)

    def _read(self) -> None:
        assert self._process.stdout is not None, "opened with a pipe"
        decoder = msgspec.json.Decoder(AgentLine)
        try:
            for text in self._process.stdout:
                with contextlib.suppress(msgspec.DecodeError):  # its death cut the line short
                    self._take(decoder.decode(text))
        except ValueError:  # its pipe was closed
            pass
        finally:
            self._heard.set()
            self._on_end()

    def _take(self, line: AgentLine) -> None:
        match line:
            case Listening():
                self._listening = line
                self._heard.set()
            case Refused():
                self.refused.append(line)
            case AgentEnded():
                self.end = line

    def _wait(self) -> None:
        """Until it has ended; what it used is known then."""
        if self._process.returncode is None:
            with contextlib.suppress(ChildProcessError):
                _, status, usage = os.wait4(self._process.pid, 0)  # the CPU time of this child alone
                self._process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)

    def _words(self) -> str:
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()


def refusal_of(agent: Agent) -> CannotMeasure | None:
    """The error if the agent has refused the engine elsewhere; None if it has not."""
    if not agent.refused:
        return None
    refused = agent.refused[0]
    return CannotMeasure(
        f"the agent refused the engine ({refused.peer}): {refused.message}",
        "both machines need the same version of hopcost" if refused.error == "version" else None,
    )
