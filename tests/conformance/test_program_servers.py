"""What single programs of ours promise beyond the conformance of all: PM2's cluster, Nagle's algorithm, Go's proxy."""

from __future__ import annotations

import ctypes
import http.client
import multiprocessing
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest
from processes.freezers import freezers
from processes.needed import need_program
from processes.running import wait_until

from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.programs import read
from hopcost.programs.receipt import installed
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.cgroups import Freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
PM2 = Arm(hops=[Hop(program="express", link=Link.HTTP_UNIX, settings={"manager": "pm2", "instances": 3})])
PIDFD_GETFD = 438
WAIT_S = 20.0


@pytest.fixture(autouse=True)
def built() -> None:
    raise_open_files()
    for name in ("express", "go-hello", "go-proxy", "fasthttp"):
        need_program(name)


def start(arm: Arm, freezer: Freezer | None = None) -> RunningStack:
    return RunningStack("test", arm, {}, CORES, Local(freezer or freezers()[0]), label="test")


# PM2


def harness(freezer: Freezer, pids: Connection) -> None:
    """A harness that is about to be killed, once PM2 has forked all workers: the first one may answer long before."""
    with start(PM2, freezer) as stack:
        wait_until(lambda: len(stack.processes["express"]) == 1 + 3, WAIT_S)
        pids.send((stack.processes["express"], stack.session.directory))
        signal.pause()


@pytest.mark.parametrize("freezer", freezers(), ids=lambda freezer: freezer.kind)
def test_no_worker_of_pm2_outlives_a_killed_harness(freezer: Freezer) -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=harness, args=(freezer, theirs))
    process.start()
    try:
        assert ours.poll(2 * WAIT_S)
        pids, directory = ours.recv()
        workers = [psutil.Process(pid) for pid in pids]
    finally:
        process.kill()
        process.join(WAIT_S)
    assert len(pids) == 1 + 3
    _, alive = psutil.wait_procs(workers, timeout=WAIT_S)
    assert alive == []
    assert wait_until(lambda: not directory.exists(), WAIT_S)


def test_pm2_keeps_its_files_in_the_stacks_folder_and_asks_nobody() -> None:
    with start(PM2) as stack:
        home = stack.session.directory / "express-pm2"
        assert home.is_dir()
        for pid in stack.processes["express"]:
            environment = Path(f"/proc/{pid}/environ").read_text().split("\0")
            assert f"PM2_HOME={home}" in environment
            assert "PM2_DISABLE_VERSION_CHECK=true" in environment
    assert not home.exists()


def test_json_is_made_anew_and_has_the_files_bytes() -> None:
    with start(PM2) as stack:
        answers = {check.ask("pm2", stack.prepared.address, "/json").body for _ in range(6)}
    assert len(answers) == 1


# Headers


@pytest.mark.parametrize(("name", "header_bytes"), [("fasthttp", 141), ("go-hello", 141), ("actix", 117)])
def test_the_hello_has_the_header_bytes_that_the_readme_says(name: str, header_bytes: int) -> None:
    """141 is what nginx's own answer has."""
    with start(Arm(hops=[Hop(program=name, link=Link.HTTP_TCP)])) as stack:
        assert check.ask(name, stack.prepared.address, "/").header_bytes == header_bytes
    assert f"{header_bytes} bytes" in (read.read_program(name).folder / "README.md").read_text().replace("\n", " ")


# Nagle


def no_delay_of_accepted(pid: int) -> list[int]:
    """TCP_NODELAY of each accepted connection of a process, by a copy of its descriptor."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(pid)
    options = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        if not str(entry.readlink()).startswith("socket:"):
            continue
        copy = libc.syscall(PIDFD_GETFD, pidfd, int(entry.name), 0)
        assert copy >= 0, os.strerror(ctypes.get_errno())
        with socket.socket(fileno=copy) as connection:
            if not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                options.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
    os.close(pidfd)
    return options


@pytest.mark.parametrize(("settings", "expected"), [({}, 1), ({"tcp_nodelay": True}, 1), ({"tcp_nodelay": False}, 0)])
def test_nagles_algorithm_is_on_where_tcp_nodelay_is_off(settings: dict[str, bool], expected: int) -> None:
    with start(Arm(hops=[Hop(program="go-hello", link=Link.HTTP_TCP, settings=dict(settings))])) as stack:
        (pid,) = stack.processes["go-hello"]
        with stack.prepared.address.connect(10.0) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.recv(1000)
            options = no_delay_of_accepted(pid)
    assert options and options[-1] == expected


# Go's heap


def test_a_heap_stays_while_requests_replace_it() -> None:
    with start(Arm(hops=[Hop(program="go-hello", link=Link.HTTP_TCP, settings={"heap_mib": 64})])) as stack:
        (pid,) = stack.processes["go-hello"]
        for _ in range(5):
            assert check.ask("heap", stack.prepared.address, "/").body == b"Hello World\n"
        resident = psutil.Process(pid).memory_info().rss
    assert resident >= 64 << 20


# Go's proxy


class Upstream(threading.Thread):
    """A server that counts the connections that it accepts and keeps the heads that it gets."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.accepted = 0
        self.heads: list[str] = []
        self.start()

    def run(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            self.accepted += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with connection:
            while head := connection.recv(65536):
                self.heads.append(head.decode())
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes")


@contextmanager
def go_proxy(upstreams: list[Upstream], keepalive: int, folder: Path) -> Iterator[socket.socket]:
    """A connection to the proxy before these servers."""
    executable = installed("go-proxy").path
    places = ",".join(f"http+tcp:127.0.0.1:{upstream.port}" for upstream in upstreams)
    place = folder / "proxy.sock"
    words = ["-listen", f"http+unix:{place}", "-upstreams", places, "-upstream-keepalive", str(keepalive)]
    with subprocess.Popen([str(executable), *words]) as process, socket.socket(socket.AF_UNIX) as client:
        try:
            for _ in range(2000):
                if client.connect_ex(str(place)) == 0:
                    break
                time.sleep(0.005)
            yield client
        finally:
            process.terminate()
    assert process.returncode == 0


def ask(client: socket.socket) -> bytes:
    client.sendall(b"GET /512?a=b HTTP/1.1\r\nHost: app.example\r\n\r\n")
    response = http.client.HTTPResponse(client)
    response.begin()
    return response.read()


@pytest.mark.parametrize(("keepalive", "accepted"), [(0, 6), (1, 1), (300, 1)])
def test_go_proxy_keeps_connections_as_told(nothing_left: Path, keepalive: int, accepted: int) -> None:
    upstream = Upstream()
    with go_proxy([upstream], keepalive, nothing_left) as client:
        assert {ask(client) for _ in range(6)} == {b"yes"}
    assert upstream.accepted == accepted
    assert all(("Connection: close" in head) == (keepalive == 0) for head in upstream.heads)


def test_go_proxy_passes_the_request_on_as_it_is(nothing_left: Path) -> None:
    """No compression that nobody asked for, the client's Host, nothing added."""
    upstream = Upstream()
    with go_proxy([upstream], 1, nothing_left) as client:
        ask(client)
    (head,) = upstream.heads
    assert head.split("\r\n") == ["GET /512?a=b HTTP/1.1", "Host: app.example", "", ""]


def test_go_proxy_goes_round_its_upstreams(nothing_left: Path) -> None:
    upstreams = [Upstream(), Upstream(), Upstream()]
    with go_proxy(upstreams, 1, nothing_left) as client:
        for _ in range(6):
            ask(client)
    assert [len(upstream.heads) for upstream in upstreams] == [2, 2, 2]
