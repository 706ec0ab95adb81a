"""Servers for sections on `hopcost vs`, on the first core, and runs of it: what its report as JSON says."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.programs.content import CONTENT
from hopcost.programs.receipt import installed
from hopcost.record.contents.run import StopReason
from hopcost.report.formats.json_schema import Report, ReportedExperiment
from tools.truth.runs import HOPCOST
from tools.truth.server import origin_core

READY_S = 10.0
BURNER = """
import sys, time
share, began = float(sys.argv[1]), time.monotonic()
while True:
    used = time.process_time()
    while time.process_time() < used + 0.005:
        pass
    time.sleep(max(0.001, time.process_time() / share - (time.monotonic() - began)))
"""


class Server(msgspec.Struct, frozen=True):
    """A Go server that runs, and a process beside it that belongs to it, if there is one."""

    url: str
    pid: int
    burner_pid: int | None = None


@contextlib.contextmanager
def go_server(heap_mib: int = 0, burns: float = 0.0) -> Iterator[Server]:
    """go-hello with so much heap to collect, and a program beside it that burns this share of the core."""
    receipt = installed("go-hello")
    if receipt.path is None:
        raise CannotMeasure(f"go-hello: {receipt.missing}", receipt.remedy)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    on_core = ["taskset", "--cpu-list", str(origin_core())]
    words = ["-listen", f"http+tcp:127.0.0.1:{port}", "-content", str(CONTENT), "-gomaxprocs", "1"]
    with contextlib.ExitStack() as running:
        server = running.enter_context(_killed([*on_core, receipt.path, *words, "-heap-mib", str(heap_mib)]))
        burner = None
        if burns:
            burner = running.enter_context(_killed([*on_core, sys.executable, "-c", BURNER, str(burns)]))
        _wait_until_ready(port)
        yield Server(f"http://127.0.0.1:{port}/", server.pid, None if burner is None else burner.pid)


def run_versus(servers: list[Server], time_s: float, *options: object) -> tuple[ReportedExperiment, float]:
    """`hopcost vs` on these servers, and its seconds; MeasurementFailed, with its words, without a report."""
    words: list[object] = [server.url for server in servers]
    for number, server in enumerate(servers, start=1):
        words += ["--pid", f"{number}={server.burner_pid}"] if server.burner_pid is not None else []
    with tempfile.TemporaryDirectory() as folder:
        words += ["--time", round(time_s, 1), "--record", Path(folder) / "record", "--json", *options]
        began = time.monotonic()
        ran = subprocess.run([HOPCOST, "vs", *map(str, words)], capture_output=True, text=True, check=False, cwd=folder)
        seconds = time.monotonic() - began
    try:
        experiment = msgspec.json.decode(ran.stdout, type=Report).experiments[0]
    except (msgspec.DecodeError, IndexError) as error:
        raise MeasurementFailed(f"hopcost vs ended with {ran.returncode}: {ran.stderr[-2000:]}") from error
    if experiment.ending is None or experiment.ending.why == StopReason.FAILED:
        raise MeasurementFailed(f"hopcost vs did not end well: {ran.stderr[-2000:]}")
    return experiment, seconds


@contextlib.contextmanager
def _killed(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process of a session of its own, killed at the end."""
    with subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def _wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError as error:
            if time.monotonic() > deadline:
                raise MeasurementFailed(f"go-hello did not listen on port {port}") from error
            time.sleep(0.01)
        else:
            return
