"""`hopcost front` and `hopcost vs`, interrupted or killed: nothing is left of them, and the user's servers go on."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from command import HOPCOST, environment
from systems import apps
from systems.apps import DJANGO, EXPRESS, GUNICORN, UVICORN
from systems.database import Database
from systems.traces import Traces, noted

from hopcost.machine.listeners import find_listener
from hopcost.machine.traces import command_line, descendants

pytestmark = pytest.mark.timeout(400)

WAIT_S = 120.0  # a limit, not a measure
ENGINE = "hopcost-engine"
# Two workers and a tracker of resources: more than one process that may outlive its parent.
WORKERS = dataclasses.replace(UVICORN, name="uvicorn-workers", command=(*UVICORN.command, "--workers", "2"))
SIGNALS = [signal.SIGINT, signal.SIGKILL]


@dataclasses.dataclass(frozen=True)
class Case:
    """What is started, the signal that it gets, and its folder."""

    words: list[str]
    number: signal.Signals
    folder: Path


def strike(case: Case, shop: Database, *, measuring: bool) -> Traces:
    """Start hopcost, send it the signal once it loads (`measuring`: once it has a record too), wait for its end."""
    temporary, record, words = case.folder / "tmp", case.folder / "record", case.folder / "words"
    temporary.mkdir(parents=True)
    own = {"TMPDIR": str(temporary), "PYTHONFAULTHANDLER": "1"}
    with (
        words.open("wb") as told,
        subprocess.Popen(
            [HOPCOST, case.words[0], "--anyway", "--record", str(record), *case.words[1:]],
            env=environment() | apps.TIDY | shop.environment() | own,
            stdout=subprocess.DEVNULL,
            stderr=told,
        ) as process,
        noted(process.pid, temporary) as traces,
    ):
        deadline = time.monotonic() + WAIT_S
        while not (loads(process.pid) and (record.exists() or not measuring)):
            assert process.poll() is None, "it ended before the signal"
            assert time.monotonic() < deadline, "it did not begin to load"
            time.sleep(0.05)
        traces.note()
        process.send_signal(case.number)
        wait_for_end(process, words)
    return traces


def wait_for_end(process: subprocess.Popen[bytes], words: Path) -> None:
    """Wait for the process to end; if it goes on, fail with its words and the stack of each thread."""
    try:
        process.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # Python's fault handler tells where each thread stands
        process.wait()
        pytest.fail(f"it went on after the signal; it said:\n{words.read_text()}")


def loads(harness: int) -> bool:
    """Whether its load engine runs."""
    return any(ENGINE in command_line(pid) for pid in descendants(harness))


@pytest.mark.parametrize("measuring", [False, True], ids=["learning", "measuring"])
def test_nothing_is_left_of_front(shop: Database, tmp_path: Path, measuring: bool) -> None:
    cases = [
        Case(
            ["front", "--folder", str(app.folder), *options, "--", *app.command],
            number,
            tmp_path / f"{app.name}-{number}",
        )
        for app, options in ((DJANGO, ["--needs", shop.address]), (WORKERS, []))
        for number in SIGNALS
    ]
    with ThreadPoolExecutor(2) as pool:
        struck = list(pool.map(lambda case: strike(case, shop, measuring=measuring), cases))
    for case, traces in zip(cases, struck, strict=True):  # a namespace's number comes again: not before
        assert len(traces.family) > 2 and traces.namespaces, "it had started the app"
        assert traces.left() == {}, case


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_servers_that_were_compared_go_on_though_one_stood_still(
    shop: Database, tmp_path: Path, number: signal.Signals
) -> None:
    with ExitStack() as servers:
        ports = [servers.enter_context(apps.running(app)) for app in (EXPRESS, GUNICORN)]
        traces = strike(
            Case(["vs", "--freeze", *(f":{port}" for port in ports)], number, tmp_path), shop, measuring=True
        )
        assert traces.left() == {}
        for port in ports:
            assert apps.ask(port) == 200
            server = find_listener("127.0.0.1", port)
            assert server is not None
            assert [pid for pid in server.pids if psutil.Process(pid).status() == psutil.STATUS_STOPPED] == []
