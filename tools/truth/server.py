"""The embedded origin with its own log of requests, and a watch over the machine."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import psutil
from numpy.typing import NDArray

from hopcost.errors import MeasurementFailed
from hopcost.machine import binaries, cpu_time, facts
from tools.truth.lines import FOREIGN_MOST

BACKENDS = ("uring", "epoll")
ROW = np.dtype("<u8,<u8,<u4,<u2,u1,u1")
QUIET_LOOK_S, QUIET_LOOKS_MOST = 0.3, 30
KERNEL = 2  # the parent of its threads
NEVER = np.iinfo(np.uint64).max
T = TypeVar("T")


class Origin(msgspec.Struct):
    """A running origin."""

    process: subprocess.Popen[str]
    address: str
    rows: Path

    def requests(self) -> NDArray[np.void]:
        """Ends it; its log of the answered requests as they arrived: `f0` arrival, `f1` sent, CLOCK_MONOTONIC ns."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        rows = np.fromfile(self.rows, dtype=ROW, offset=ROW.itemsize)
        return np.sort(rows[rows["f1"] != NEVER], order="f0")

    def cpu_s(self) -> float:
        """CPU seconds so far."""
        used = psutil.Process(self.process.pid).cpu_times()
        return float(used.user + used.system)


def origin_core() -> int:
    """The origin has the first core."""
    return min(facts.allowed_cores())


def generator_core() -> int:
    """The load has the last core."""
    return max(facts.allowed_cores())


@contextlib.contextmanager
def origin(seed: int = 0) -> Iterator[Origin]:
    """The embedded origin."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        command = ["taskset", "--cpu-list", str(origin_core()), str(binaries.require("hopcost-origin"))]
        command += ["--listen", "http+tcp:127.0.0.1:0", "--log-requests", str(rows), "--seed", str(seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None, "a pipe was asked for"
                address = json.loads(process.stdout.readline())["listeners"][0]["address"]
                yield Origin(process=process, address=address, rows=rows)
            finally:
                process.kill()


def command(target: str, *options: object) -> list[str]:
    """`hopcost-engine load` with JSON as its result."""
    return [str(binaries.require("hopcost-engine")), "load", "--json", *map(str, options), target]


def load(target: str, *options: object) -> dict[str, Any]:
    """Load to its end; what it says. Exit code 4 is a run that calls itself suspect: the figures will show it."""
    done = subprocess.run(command(target, *options), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise MeasurementFailed(f"the load engine ended with {done.returncode}: {done.stderr}")
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def measured(rows: NDArray[np.void], result: dict[str, Any]) -> NDArray[np.void]:
    """The rows of the measured load: not those of the request that asks what the answer is, nor of a warm-up."""
    answers = int(result["answers"])
    if answers > len(rows):
        raise MeasurementFailed(f"the engine counts {answers} answers, of which the origin knows {len(rows)}")
    return rows[len(rows) - answers :]


def quantile(values: NDArray[np.float64], share: float) -> float:
    """The value that at least this share of all does not exceed."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def watched(run: Callable[[], T]) -> tuple[T, float, float]:
    """A run's result, and the shares of CPU time that other programs and the hypervisor took meanwhile."""
    before, steal_ns, began = _others_s(), cpu_time.steal_ns(), time.monotonic()
    result = run()
    elapsed_s, steal_ns, after = time.monotonic() - began, cpu_time.steal_ns() - steal_ns, _others_s()
    used_s = sum(after[process] - before[process] for process in before.keys() & after.keys())
    return result, used_s / elapsed_s / len(facts.allowed_cores()), steal_ns / 1e9 / elapsed_s


def wait_for_quiet() -> None:
    """Wait until other programs rest, some seconds at most: a run beside them would be set aside."""
    for _ in range(QUIET_LOOKS_MOST):
        _, foreign, _ = watched(lambda: time.sleep(QUIET_LOOK_S))
        if foreign <= FOREIGN_MOST:
            return


def _others_s() -> dict[int, float]:
    """CPU seconds of every other program, with its children that have ended.

    Without the kernel's threads: what they do is mostly our own network's work.

    Not /proc/stat's sum less our own: its ticks fall in step with requests at a constant rate.
    """
    used: dict[int, float] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and KERNEL not in (process.pid, process.ppid()):
                used[process.pid] = sum(process.cpu_times()[:4])
    return used


def say(text: str) -> None:
    """Print to stderr."""
    print(text, file=sys.stderr, flush=True)
