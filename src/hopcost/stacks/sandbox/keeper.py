"""The parent of one stack's programs: it starts them, and when the harness goes away it leaves nothing behind.

A process of its own, run as a script with the standard library alone. It leads the stack's session, so that the
scheduler sees one group per stack (autogroup), and holds the stack's network namespace. Its argument says what to
make; it takes JSON lines on standard input and answers on standard output; when its input ends (the harness closed it,
crashed, or was killed) every process of the stack dies, frozen or not, and its cgroups and directory are removed.

    {"directory": path, "cgroups": […], "namespace": bool, "link": bool, "link_mbit_per_s": n or null, "sysctls": {…},
     "addresses": […]}           →  {"ready": true, "home": n, "client": n or null, "sysctls": {…}, "refused": {…}}
                                            or  {"unready": step, "why": "…"}
    {"start": name, "command": […], "log": path, "cores": […], "open_files": n, "folder": path, "environment": {…}}
                                             →  {"started": name, "pid": n}  or  {"failed": name, "why": "…"}
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
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # last, so that hopcost's own modules hide none of the standard library's
    sys.path.append(str(Path(__file__).parents[3]))

from hopcost.stacks.sandbox import namespaces, processes
from hopcost.stacks.sandbox.namespaces import OWN

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
# At most: gunicorn takes 3.3 s with an idle connection, and Apache says SIGTERM again after 3 s to a child that the
# first one came too early for.
CLEAN_STOP_S = 5.0


class Keeper:
    """The state of one stack: its programs, its directory, its cgroups.

    The first of the cgroups freezes; its processes may be in one of another hierarchy too, which counts their CPU time.
    In each there is one cgroup per program.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self.directory = Path(order["directory"])
        self.cgroups = [Path(path) for path in order["cgroups"]]
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self.order = order

    def make(self) -> bool:
        """Make what the order asks for and say so; False if something could not be made."""
        answer: dict[str, Any] = {"ready": True, "home": None, "client": None, "sysctls": {}, "refused": {}}
        step = "directory"
        try:
            self.directory.mkdir(mode=0o700)
            step = "cgroup"
            for cgroup in self.cgroups:
                cgroup.mkdir()
            step = "namespace"
            if self.order["namespace"]:
                answer["home"] = os.open(OWN, os.O_RDONLY)  # for who connects to the host on the stack's behalf
                namespaces.make()
                answer["sysctls"], answer["refused"] = namespaces.set_sysctls(self.order["sysctls"])
                step = "address"
                for address in self.order["addresses"]:
                    namespaces.add_address(address)
                if self.order["link"]:
                    step = "link"
                    client = os.open(OWN, os.O_RDONLY)
                    namespaces.make()
                    namespaces.set_sysctls(self.order["sysctls"])
                    namespaces.join(client, self.order["link_mbit_per_s"])
                    answer["client"] = client
        except (OSError, subprocess.SubprocessError) as error:
            say({"unready": step, "why": str(error)})
            return False
        say(answer)
        return True

    def start(self, order: dict[str, Any]) -> None:
        """Start a program in the foreground, in its cgroups and on its cores, its output into its log."""
        reader, writer = os.pipe()  # subprocess says of a preexec_fn only that it failed

        def in_child() -> None:
            step = "it"
            try:
                for cgroup in self.cgroups:
                    step = f"its cgroup {cgroup / order['start']}"
                    (cgroup / order["start"] / "cgroup.procs").write_text("0")
                step = f"cores {order['cores']}"
                os.sched_setaffinity(0, order["cores"])
                step = f"a limit of {order['open_files']} open files"
                resource.setrlimit(resource.RLIMIT_NOFILE, (order["open_files"], order["open_files"]))
            except (OSError, ValueError) as error:
                os.write(writer, f"{step}: {error}".encode())
                raise
            prctl = ctypes.CDLL(None).prctl
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)  # of a user namespace: not for programs
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)

        failed = None
        try:
            for cgroup in self.cgroups:
                (cgroup / order["start"]).mkdir(exist_ok=True)  # of a program that is started again
            with Path(order["log"]).open("ab") as log:
                program = subprocess.Popen(
                    order["command"],
                    cwd=order["folder"],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    process_group=0,  # Apache ends its whole group when it ends
                    env=os.environ | order["environment"] | {processes.MARK: str(self.directory)},
                    preexec_fn=in_child,
                )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            failed = str(error)
        os.close(writer)
        why = os.read(reader, 4096).decode(errors="replace") if failed is not None else ""
        os.close(reader)
        if failed is not None:
            say({"failed": order["start"], "why": why or failed})
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
        self.thaw(self.members())
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
        deadline = time.monotonic() + processes.KILL_S
        while ((members := self.members()) or self.reap()) and time.monotonic() < deadline:
            processes.kill(members, self.cgroups)
            self.thaw(members)  # a version 1 freezer holds back even SIGKILL
            self.reap()
            time.sleep(0.005)
        processes.remove(self.directory, self.cgroups)

    def members(self) -> list[int]:
        """The stack's processes: those of its cgroup, without one those of its session; never the keeper."""
        return processes.members(os.getpid(), self.cgroups)

    def thaw(self, members: list[int]) -> None:
        """Let the stack run, by whichever means it was frozen."""
        processes.thaw(self.cgroups[0] if self.cgroups else None, members)


def say(answer: dict[str, Any]) -> None:
    """One line to the harness; when nobody listens any more, the end of the input will tell."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(answer).encode() + b"\n")


def main() -> None:
    """Serve orders until they end, then clean up."""
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
    keeper = Keeper(json.loads(sys.argv[1]))
    buffered = b""
    try:
        ended = not keeper.make() or ended
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
