"""The machine that the stacks run on: start, signal, wait, put a file, read a counter; here today, a remote one later.

It must not know what a stack is for.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from hopcost import keeper as keeper_program
from hopcost.errors import CannotMeasure

PREFIX = "hopcost-stack-"  # of directories in the system's folder for temporary files
KEEPER_ANSWER_S = 10.0
SOCKET_PATH_BYTES = 100  # sun_path holds 108; a name follows the directory


class Session:
    """One stack's session: its directory, its cgroup if it has one, and the keeper that is the parent of its programs.

    When this process dies in whatever way, the keeper sees its input end and removes everything.
    """

    def __init__(self, cgroup: Path | None) -> None:
        self.cgroup = cgroup
        self.directory = Path(tempfile.mkdtemp(prefix=PREFIX))
        if len(os.fsencode(self.directory)) > SOCKET_PATH_BYTES - 40:
            self.directory.rmdir()
            self.directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir="/tmp"))
        command = [sys.executable, "-I", "-S", keeper_program.__file__, str(self.directory)]
        if cgroup is not None:
            command.append(str(cgroup))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by kill
        self._keeper = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
        )
        self._buffered = b""
        self.exited: dict[str, int] = {}

    @property
    def leader(self) -> int:
        """The session's id, which is the keeper's pid."""
        return self._keeper.pid

    def put(self, name: str, text: str) -> Path:
        """Write a file into the session's directory."""
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return path

    def start(self, name: str, command: list[str], cores: list[int], open_files: int) -> int:
        """Start a program; its pid. CannotMeasure with the reason when it cannot even be executed."""
        order = {
            "start": name,
            "command": command,
            "log": str(self.log(name)),
            "cores": cores,
            "open_files": open_files,
        }
        self._order(order)
        answer = self._answer(lambda line: name in (line.get("started"), line.get("failed")))
        if "pid" not in answer:
            raise CannotMeasure(f"{' '.join(command)}: {answer.get('why', 'not started')}")
        return int(answer["pid"])

    def log(self, name: str) -> Path:
        """Where a program's output goes."""
        return self.directory / f"{name}.log"

    def poll(self) -> dict[str, int]:
        """Programs that have ended by themselves, with their exit statuses (negative: the signal)."""
        while self._has_output(0.0) and self._read():
            pass
        return self.exited

    def stop(self) -> None:
        """A clean stop of every program, then nothing of the session is left."""
        with contextlib.suppress(OSError, CannotMeasure):
            self._order({"stop": True})
            self._answer(lambda line: "stopped" in line)
        self.kill()

    def kill(self) -> None:
        """End everything at once, frozen or not, and wait until nothing is left."""
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(timeout=keeper_program.CLEAN_STOP_S + keeper_program.KILL_S + 1)
        self._errors.close()
        if self._keeper.poll() != 0:
            self._clean_after_keeper()

    def _clean_after_keeper(self) -> None:
        """The keeper itself was killed or failed: do its work from here."""
        with contextlib.suppress(ProcessLookupError):
            self._keeper.kill()
        self._keeper.wait()
        if self.cgroup is not None and self.cgroup.exists():
            remains = [int(pid) for pid in (self.cgroup / "cgroup.procs").read_text().split()]
        else:
            remains = keeper_program.session_members(self.leader)
        for pid in remains:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        keeper_program.thaw(self.cgroup, remains)
        deadline = time.monotonic() + keeper_program.KILL_S
        while any(psutil.pid_exists(pid) for pid in remains) and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.cgroup is not None:
            with contextlib.suppress(OSError):
                self.cgroup.rmdir()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _order(self, order: dict[str, Any]) -> None:
        assert self._keeper.stdin is not None, "opened with a pipe"
        try:
            self._keeper.stdin.write(json.dumps(order).encode() + b"\n")
            self._keeper.stdin.flush()
        except OSError as error:
            raise CannotMeasure(f"the stack's keeper is gone: {self._keeper_error() or error}") from error

    def _answer(self, wanted: Any) -> dict[str, Any]:
        """The next line that is wanted; exits that come in between are noted."""
        deadline = time.monotonic() + KEEPER_ANSWER_S
        while time.monotonic() < deadline:
            if self._has_output(0.1):
                lines = self._read()
                if lines is None:
                    break
                for line in lines:
                    if wanted(line):
                        return line
        raise CannotMeasure(f"the stack's keeper did not answer: {self._keeper_error()}")

    def _has_output(self, wait_s: float) -> bool:
        assert self._keeper.stdout is not None, "opened with a pipe"
        return bool(select.select([self._keeper.stdout], [], [], wait_s)[0])

    def _read(self) -> list[dict[str, Any]] | None:
        """Lines that have come, exits noted; None at the end of the keeper's output."""
        assert self._keeper.stdout is not None, "opened with a pipe"
        chunk = os.read(self._keeper.stdout.fileno(), 65536)
        if not chunk:
            return None
        *lines, self._buffered = (self._buffered + chunk).split(b"\n")
        answers = [json.loads(line) for line in lines]
        for answer in answers:
            if "exited" in answer:
                self.exited[answer["exited"]] = answer["status"]
        return answers

    def _keeper_error(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()[-500:]


def process_tree(pid: int) -> list[int]:
    """The process and all its descendants, the process first; empty when it is gone."""
    try:
        process = psutil.Process(pid)
        return [pid, *(child.pid for child in process.children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def cpu_ns(pid: int) -> int:
    """CPU time that a process has used, all threads, in ns, to the kernel's tick; 0 when it is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0
    return int((times.user + times.system) * 1e9)


def port_is_free(port: int) -> bool:
    """Whether a server could listen on this port of the loopback address now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def last_lines(path: Path, count: int = 8) -> str:
    """The end of a log file; empty when there is none."""
    try:
        return "\n".join(path.read_text(errors="replace").strip().splitlines()[-count:])
    except OSError:
        return ""
