"""The machine that the stacks run on: start, signal, wait, put a file, read a counter."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import psutil

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.record.secrets import mask_words
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox import processes as sandbox_processes
from hopcost.stacks.sandbox.keeper import CLEAN_STOP_S
from hopcost.stacks.sandbox.leftovers import DIRECTORY_PREFIX
from hopcost.stacks.sandbox.session.keeper_process import KeeperProcess

ERROR = re.compile(r"\b\w*(error|exception|panic|fatal)\b", re.IGNORECASE)  # in a program's last lines
SOCKET_PATH_BYTES = 100  # sun_path holds 108; a name follows the directory


class NotStarted(MeasurementFailed):
    """A program that could not be executed as the arm asks, or a link that could not be made."""


class Net(msgspec.Struct, frozen=True):
    """The namespace that a session makes, with these net.* sysctls; with a link the client has one of its own too.

    Its loopback gets these `addresses` too.
    """

    sysctls: dict[str, int | str] = {}
    addresses: list[str] = []
    link: bool = False
    link_mbit_per_s: int | None = None


class Session:
    """One stack's session: its directory, its cgroups, its network namespace, and the keeper that holds all of it.

    The keeper makes them and is the parent of the stack's programs. When this process dies in whatever way, the keeper
    sees its input end and removes everything. `cgroups` are to be made, the one that freezes first; without `net` the
    programs stay in the namespace of this process. CannotMeasure if the folder for temporary files cannot be used,
    MeasurementFailed if the keeper fails.
    """

    def __init__(self, cgroups: Sequence[Path] = (), net: Net | None = None) -> None:
        self.cgroups = list(cgroups)
        self.directory = _new_directory()
        self._has_namespace = net is not None
        order = {
            "directory": str(self.directory),
            "cgroups": [str(path) for path in self.cgroups],
            "namespace": net is not None,
            "link": net is not None and net.link,
            "link_mbit_per_s": net.link_mbit_per_s if net is not None else None,
            "sysctls": net.sysctls if net is not None else {},
            "addresses": net.addresses if net is not None else [],
        }
        try:
            errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the keeper's process
        except OSError as error:
            raise _no_temporary_folder(error) from error
        self._keeper = KeeperProcess(order, errors)
        self.sysctls: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self._client: int | None = None
        self._home: int | None = None
        try:
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def _wait_until_ready(self) -> None:
        answer = self._keeper.answer(lambda line: "ready" in line or "unready" in line)
        if answer.get("unready") == "directory":
            raise _no_temporary_folder(answer["why"])
        if answer.get("unready") in ("link", "address"):
            raise NotStarted(f"its {answer['unready']} could not be made: {answer['why']}")
        if "unready" in answer:
            raise MeasurementFailed(f"the stack's {answer['unready']} could not be made: {answer['why']}")
        self.sysctls, self.refused, self._client = answer["sysctls"], answer["refused"], answer["client"]
        self._home = answer["home"]

    @property
    def cgroup(self) -> Path | None:
        """The cgroup that freezes the stack."""
        return self.cgroups[0] if self.cgroups else None

    @property
    def namespace(self) -> str | None:
        """The file of the namespace that the programs are in; None for this process's own."""
        return f"/proc/{self.leader}/ns/net" if self._has_namespace else None

    @property
    def client_namespace(self) -> str | None:
        """The file of the namespace that the client belongs in: beyond the link if there is one, else the stack's."""
        return self.namespace if self._client is None else f"/proc/{self.leader}/fd/{self._client}"

    @property
    def home_namespace(self) -> str | None:
        """The file of the namespace that this process was in when it made the session; None if that is the stack's."""
        return None if self._home is None else f"/proc/{self.leader}/fd/{self._home}"

    def processes(self, name: str, root: int) -> list[int]:
        """A program's processes, `root` first: those of its cgroup, without one those of the tree below it."""
        if not self.cgroups:
            return process_tree(root)
        pids = sandbox_processes.pids_in(self.cgroups[0] / name)
        return sorted(pids, key=lambda pid: (pid != root, pid))

    @property
    def exited(self) -> dict[str, int]:
        """Programs that have ended by themselves, as far as was heard, with their exit statuses."""
        return self._keeper.exited

    @property
    def leader(self) -> int:
        """The session's id, which is the keeper's pid."""
        return self._keeper.pid

    def put(self, name: str, text: str) -> Path:
        """Write a file into the session's directory."""
        path = self.directory / name
        try:
            path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
        except OSError as error:
            raise _no_temporary_folder(error) from error
        return path

    def start(
        self,
        name: str,
        command: list[str],
        cores: list[int],
        open_files: int,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Start a program; its pid. NotStarted with the reason if it cannot be executed.

        It works in `folder`, without one in the session's directory; `environment` lies over that of this process.
        """
        order = {
            "start": name,
            "command": command,
            "log": str(self.log(name)),
            "cores": cores,
            "open_files": open_files,
            "folder": folder or str(self.directory),
            "environment": dict(environment or {}),
        }
        self._keeper.order(order)
        answer = self._keeper.answer(lambda line: name in (line.get("started"), line.get("failed")))
        if "pid" not in answer:
            raise NotStarted(f"{' '.join(mask_words(command))}: {answer.get('why', 'not started')}")
        return int(answer["pid"])

    def end(self, name: str, root: int) -> None:
        """End a program by SIGTERM, and by SIGKILL if that takes too long; then it can be started again.

        MeasurementFailed if it does not end at all.
        """
        left = {CLEAN_STOP_S: signal.SIGKILL, 0.0: signal.SIGTERM}  # after so many seconds
        began = time.monotonic()
        while name not in self.poll() or self.processes(name, root):
            passed_s = time.monotonic() - began
            if passed_s > CLEAN_STOP_S + sandbox_processes.KILL_S:
                raise MeasurementFailed(f"{name} does not end")
            for after_s in [after_s for after_s in left if passed_s >= after_s]:
                number = left.pop(after_s)
                for pid in [root] if number == signal.SIGTERM else [root, *self.processes(name, root)]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
            time.sleep(0.002)
        del self.exited[name]

    def log(self, name: str) -> Path:
        """Where a program's output goes."""
        return self.directory / f"{name}.log"

    def poll(self) -> dict[str, int]:
        """Programs that have ended by themselves, with their exit statuses (negative: the signal)."""
        return self._keeper.poll()

    def stop(self) -> None:
        """A clean stop of every program, then nothing of the session is left."""
        with contextlib.suppress(OSError, MeasurementFailed):
            self._keeper.order({"stop": True})
            self._keeper.answer(lambda line: "stopped" in line)
        self.kill()

    def kill(self) -> None:
        """End everything at once, frozen or not, and wait until nothing is left."""
        if not self._keeper.end(CLEAN_STOP_S + sandbox_processes.KILL_S + 1):
            self._clean_after_keeper()

    def _clean_after_keeper(self) -> None:
        """The keeper itself was killed or failed: do its work from here."""
        self._keeper.kill()
        deadline = time.monotonic() + sandbox_processes.KILL_S
        while (remains := self._remains()) and time.monotonic() < deadline:
            sandbox_processes.kill(remains, self.cgroups)
            sandbox_processes.thaw(self.cgroup, remains)
            time.sleep(0.005)
        sandbox_processes.remove(self.directory, self.cgroups)

    def _remains(self) -> list[int]:
        """The living processes of the stack."""
        return [pid for pid in sandbox_processes.members(self.leader, self.cgroups) if leftovers.is_alive(pid)]


_numbers = itertools.count(1)


def _new_directory() -> Path:
    """A path for a stack's directory that nobody else takes. The keeper makes the directory, so none is orphaned."""
    try:
        folder = Path(tempfile.gettempdir())
    except OSError as error:
        raise _no_temporary_folder(error) from error
    name = f"{DIRECTORY_PREFIX}{leftovers.owner()}-{next(_numbers)}"
    if len(os.fsencode(folder / name)) > SOCKET_PATH_BYTES - 40:
        folder = Path("/tmp")
    return folder / name


def _no_temporary_folder(error: object) -> CannotMeasure:
    return CannotMeasure(
        f"a stack's directory cannot be made or written: {error}",
        "make room in the folder for temporary files, or name another one in TMPDIR",
    )


def process_tree(pid: int) -> list[int]:
    """The process and all its descendants, the process first; empty if it is gone."""
    try:
        process = psutil.Process(pid)
        return [pid, *(child.pid for child in process.children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def cpu_ns(pid: int) -> int:
    """CPU time that a process has used, all threads, in ns, to the kernel's tick; 0 if it is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0
    return int((times.user + times.system) * 1e9)


def last_lines(path: Path, count: int = 8) -> str:
    """The end of a log file, before it the last error, if that stands further up; empty if there is none.

    Node and Java name the error, and then many lines of where it came from.
    """
    try:
        lines = path.read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    end = lines[-count:]
    errors = [line for line in lines if ERROR.search(line)]
    return "\n".join(end if not errors or errors[-1] in end else [errors[-1], *end])
