"""With the connection to the controller everything ends: the parent of a site's worker. The standard library alone.

Its standard input brings one line, the worker's order, then a byte now and then. At its end the worker is told to end;
after a silence of the lease it is killed at once: nobody waits for it any more. Whoever of the worker's session is
still there a few seconds later, a process that hangs too, is killed.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKER = "hopcost.measure.sites.dask.worker"
END_S = 5.0  # the leader's time to stop its stacks
LOOK_S = 0.05


def main(lease_s: float) -> int:
    """Until the worker has ended, for whatever reason; its exit code."""
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # the input says when; what is ignored, programs would inherit
    order = _first_line()
    folder = tempfile.mkdtemp(prefix=f"hopcost-{owner()}-site-")  # a name that `hopcost doctor --clean` knows
    try:
        return _run(order, folder, lease_s)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def owner() -> str:
    """This process as stacks/sandbox/leftovers.py has it in names."""
    start_time = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    return f"{os.getpid()}-{start_time}-{Path('/proc/self/ns/pid').stat().st_ino:x}"


def _run(order: bytes, folder: str, lease_s: float) -> int:
    worker = subprocess.Popen(
        [sys.executable, "-m", WORKER, folder], stdin=subprocess.PIPE, cwd=folder, start_new_session=True
    )
    assert worker.stdin is not None, "opened with a pipe"
    with contextlib.suppress(OSError):
        worker.stdin.write(order)
        worker.stdin.flush()
        if not _hold(worker, lease_s):
            worker.kill()
    _end(worker)
    return worker.returncode if worker.returncode is not None else 1


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            raise SystemExit(0)
        line += byte
    return line


def _hold(worker: subprocess.Popen[bytes], lease_s: float) -> bool:
    """Until the worker or the input ends (True), or the lease is over (False)."""
    ended = os.pidfd_open(worker.pid)
    try:
        while True:
            ready, _, _ = select.select([0, ended], [], [], lease_s)
            if not ready:
                return False
            if ended in ready or not os.read(0, 4096):
                return True
    finally:
        os.close(ended)


def _end(worker: subprocess.Popen[bytes]) -> None:
    """The worker, and then its session: the leader ends since its input does."""
    assert worker.stdin is not None, "opened with a pipe"
    with contextlib.suppress(OSError):
        worker.stdin.close()
    deadline = time.monotonic() + END_S
    while _session(worker.pid) and time.monotonic() < deadline:
        worker.poll()
        time.sleep(LOOK_S)
    for pid in _session(worker.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    worker.wait()


def _session(leader: int) -> list[int]:
    """The living processes of a session."""
    pids = []
    for name in os.listdir("/proc"):  # noqa: PTH208  # names, and quickly
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{int(name)}/stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] not in "ZX":
                pids.append(int(name))
    return pids


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
