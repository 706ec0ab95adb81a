"""A hopcost that runs: what to wait for, and what must be gone after it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

WAIT_S = 60.0  # a limit, not a measure: on two cores with a load of 12 an engine started after more than 20 s


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def wait_for_block(record: Path, process: subprocess.Popen[str]) -> None:
    """Until the first block is recorded."""
    deadline = time.monotonic() + WAIT_S
    while not ((record / "blocks.jsonl").exists() and (record / "blocks.jsonl").stat().st_size):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "no block in time"
        time.sleep(0.01)


def wait_for_engine(process: subprocess.Popen[str]) -> psutil.Process:
    """The engine's process, once it is loading."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        for child in descendants(process.pid):
            try:
                if child.name() == "hopcost-engine":
                    return child
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.005)
    raise AssertionError("the engine did not start")


def gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=WAIT_S)
    return not alive


def wait_until(holds: Callable[[], bool], within_s: float = 30.0, settled_s: float = 0.0) -> bool:
    """Whether it comes true, and stays so for a while."""
    deadline, since = time.monotonic() + within_s, None
    while time.monotonic() < deadline:
        now = time.monotonic()
        since = (since or now) if holds() else None
        if since is not None and now - since >= settled_s:
            return True
        time.sleep(0.02)
    return False


def is_worker(process: psutil.Process) -> bool:
    """Whether it is a worker of nginx: a child of another nginx."""
    try:
        parent = process.parent()
        return process.name() == "nginx" and parent is not None and parent.name() == "nginx"
    except psutil.NoSuchProcess:
        return False
