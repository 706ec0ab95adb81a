"""The parent of one stack's programs: it starts them, and when the harness goes away it leaves nothing behind.

A process of its own, run as a script with the standard library alone. It leads the stack's session, so that the
scheduler sees one group per stack (autogroup). It takes JSON lines on standard input and answers on standard output;
when its input ends (the harness closed it, crashed, or was killed) every process of the stack dies, frozen or not, and
the stack's cgroup and directory are removed.

    {"start": name, "command": […], "log": path, "cores": […], "open_files": n}  →  {"started": name, "pid": n}
                                                                            or  {"failed": name, "why": "…"}
    {"stop": true}                                                          →  {"stopped": true}, after a clean stop
    (a program ends by itself)                                              →  {"exited": name, "status": n}
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CLEAN_STOP_S = 1.0
KILL_S = 2.0


class Keeper:
    """The state of one stack: its programs, its directory, its cgroup (of version 2 or 1, or none)."""

    def __init__(self, directory: Path, cgroup: Path | None) -> None:
        self.directory = directory
        self.cgroup = cgroup
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self.exits: dict[int, int] = {}
        if cgroup is not None:
            cgroup.mkdir()

    def start(self, order: dict[str, Any]) -> None:
        """Start a program in the foreground, in the stack's cgroup and on its cores, its output into its log."""

        def in_child() -> None:
            if self.cgroup is not None:
                (self.cgroup / "cgroup.procs").write_text("0")
            os.sched_setaffinity(0, order["cores"])
            resource.setrlimit(resource.RLIMIT_NOFILE, (order["open_files"], order["open_files"]))
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)

        try:
            with Path(order["log"]).open("ab") as log:
                program = subprocess.Popen(
                    order["command"],
                    cwd=self.directory,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    process_group=0,  # Apache ends its whole group when it ends
                    preexec_fn=in_child,
                )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            say({"failed": order["start"], "why": str(error)})
            return
        self.programs[order["start"]] = program
        say({"started": order["start"], "pid": program.pid})

    def reap(self) -> bool:
        """Collect children that ended, adopted orphans included, and tell of the programs among them.

        Whether any child is still there.
        """
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            for name, program in self.programs.items():
                if program.pid == pid:
                    program.returncode = os.waitstatus_to_exitcode(status)
                    say({"exited": name, "status": program.returncode})

    def stop(self) -> None:
        """A clean stop, from the client's side to the origin: SIGTERM, then SIGKILL for whatever is left."""
        thaw(self.cgroup, self.members())
        for program in self.programs.values():
            if program.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(program.pid, signal.SIGTERM)
        deadline = time.monotonic() + CLEAN_STOP_S
        while self.members() and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.005)

    def clean(self) -> None:
        """Kill what is left, frozen or not, and remove the cgroup and the directory."""
        deadline = time.monotonic() + KILL_S
        while ((members := self.members()) or self.reap()) and time.monotonic() < deadline:
            for pid in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            thaw(self.cgroup, members)  # a version 1 freezer holds back even SIGKILL
            self.reap()
            time.sleep(0.005)
        if self.cgroup is not None:
            with contextlib.suppress(OSError):
                self.cgroup.rmdir()
        shutil.rmtree(self.directory, ignore_errors=True)

    def members(self) -> list[int]:
        """The stack's processes: those of its cgroup, without one those of its session; never the keeper."""
        if self.cgroup is not None:
            try:
                return [int(pid) for pid in (self.cgroup / "cgroup.procs").read_text().split()]
            except OSError:
                return []
        return session_members(os.getpid())


def session_members(session: int) -> list[int]:
    """The live processes of a session but its leader."""
    found = []
    for entry in (each.name for each in Path("/proc").iterdir()):
        if entry.isdigit() and int(entry) != session:
            with contextlib.suppress(OSError, IndexError, ValueError):
                after_name = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                if int(after_name[3]) == session and after_name[0] != "Z":
                    found.append(int(entry))
    return found


def thaw(cgroup: Path | None, members: list[int]) -> None:
    """Let frozen processes run, by whichever means they were frozen."""
    if cgroup is None:
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        return
    with contextlib.suppress(OSError):
        if (cgroup / "cgroup.freeze").exists():
            (cgroup / "cgroup.freeze").write_text("0")
        else:
            (cgroup / "freezer.state").write_text("THAWED")


def say(answer: dict[str, Any]) -> None:
    """One line to the harness; when nobody listens any more, the end of the input will tell."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(answer).encode() + b"\n")


def main() -> None:
    """Serve orders until they end, then clean up."""
    directory, cgroup = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    wake_out, wake_in = os.pipe()
    os.set_blocking(wake_in, False)
    signal.set_wakeup_fd(wake_in)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        ended = True

    signal.signal(signal.SIGTERM, end)
    keeper = Keeper(directory, cgroup)
    buffered = b""
    try:
        while not ended:
            ready, _, _ = select.select([0, wake_out], [], [])
            if wake_out in ready:
                os.read(wake_out, 4096)
                keeper.reap()
            if 0 not in ready:
                continue
            chunk = os.read(0, 65536)
            if not chunk:
                break
            *lines, buffered = (buffered + chunk).split(b"\n")
            for line in lines:
                order = json.loads(line)
                if "start" in order:
                    keeper.start(order)
                else:
                    keeper.stop()
                    ended = True
    finally:
        keeper.clean()
        say({"stopped": True})


if __name__ == "__main__":
    main()
