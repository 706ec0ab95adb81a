"""Who listens: real servers, with workers, with sockets that share an address, and seen by another user."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from hopcost.errors import CannotMeasure
from hopcost.machine.listeners import kernel, serving
from hopcost.machine.listeners.cgroups import cgroup_of, cpu_ns
from hopcost.machine.listeners.listener import (
    Listener,
    find_listener,
    find_unix_listener,
    listeners,
    listeners_of,
)
from hopcost.machine.proc import VERSION_2, own_cgroups
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX

pytestmark = pytest.mark.usefixtures("nothing_left")

# Listens on port 0 of the address given, tells the port, forks as many workers as asked for, and ends with its input.
SERVER = """
import os, socket, sys
address, workers, cgroup = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if cgroup:
    with open(cgroup + "/cgroup.procs", "r+") as members:
        members.write(str(os.getpid()))
if address.startswith("/") or address.startswith("@"):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address.replace("@", "\\0"))
else:
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind((address, int(sys.argv[4])))
listener.listen()
pids = [os.getpid()]
for _ in range(workers):
    pid = os.fork()
    if not pid:
        sys.stdin.read()
        os._exit(0)
    pids.append(pid)
port = 0 if listener.family == socket.AF_UNIX else listener.getsockname()[1]
print(port, *pids, flush=True)
sys.stdin.read()
for pid in pids[1:]:
    os.waitpid(pid, 0)
"""


@contextlib.contextmanager
def server(
    address: str, workers: int = 0, cgroup: Path | None = None, port: int = 0
) -> Iterator[tuple[int, list[int]]]:
    """A server's port and pids."""
    words = [address, str(workers), str(cgroup or ""), str(port)]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        port, *pids = map(int, process.stdout.readline().split())
        yield port, pids
    finally:
        process.communicate()


def found(host: str, port: int) -> Listener:
    listener = find_listener(host, port)
    assert listener is not None
    return listener


def test_a_server_with_its_workers_and_their_name_counted() -> None:
    with server("127.0.0.1", workers=2) as (port, pids):
        listener = found("127.0.0.1", port)
        assert (listener.address, listener.pids, listener.uid) == (f"127.0.0.1:{port}", sorted(pids), os.getuid())
        (name,) = listener.names
        assert name.startswith("python") and name.endswith(" ×3")
        assert not listener.is_docker_proxy
        assert listener in listeners()


def test_sockets_that_share_a_port_are_one_listener_with_all_holders() -> None:
    with server("127.0.0.1") as (port, first), server("127.0.0.1", port=port) as (_, second):
        listener = found("127.0.0.1", port)
        assert len(listener.inodes) == 2
        assert listener.pids == sorted(first + second)


def test_localhost_may_be_either_family_and_a_wildcard_serves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [ip_address("127.0.0.1"), ip_address("::1")]
    known = serving.resolve
    monkeypatch.setattr(serving, "resolve", lambda host: both if host == "localhost" else known(host))
    with server("::1") as (port, pids):
        assert found("localhost", port).pids == found("[::1]", port).pids == pids
        assert find_listener("127.0.0.1", port) is None
    with server("0.0.0.0") as (port, pids):
        assert found("localhost", port).pids == found("127.0.0.1", port).pids == pids
    with server("::") as (port, pids):
        assert found("127.0.0.1", port).address == f"[::]:{port}"


def test_nobody_listens_at_another_machines_address_or_where_nothing_does() -> None:
    with server("0.0.0.0") as (port, _):
        assert find_listener("192.0.2.1", port) is None
    assert find_listener("127.0.0.1", port) is None
    assert find_listener("nobody.invalid", 80) is None


def test_a_unix_socket_by_its_file_and_by_its_name(nothing_left: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = nothing_left / "app.sock"
    with server(str(path)) as (_, pids):
        listener = find_unix_listener(str(path))
        assert listener is not None and (listener.address, listener.pids) == (f"unix:{path}", pids)
        monkeypatch.chdir(nothing_left)
        assert find_unix_listener("app.sock") == listener
    assert find_unix_listener(str(path)) is None, "the file is there, nobody listens"
    with server("@hopcost-test-listener") as (_, pids):
        listener = find_unix_listener("@hopcost-test-listener")
        assert listener is not None and listener.pids == pids


def test_where_processes_and_their_children_listen() -> None:
    with server("127.0.0.1", workers=1) as (port, pids), server("127.0.0.1") as (_, others):
        assert [listener.address for listener in listeners_of([pids[0]])] == [f"127.0.0.1:{port}"]
        assert listeners_of(others) != listeners_of(pids)
    assert listeners_of(pids) == []


def test_a_kernel_that_does_not_tell_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(namespace: str | None) -> list[object]:
        raise OSError("refused")

    monkeypatch.setattr(kernel, "listening_sockets", refused)
    with pytest.raises(CannotMeasure, match="does not tell who listens: refused"):
        listeners()


def as_another_user(ask: Callable[[], Listener | None]) -> dict[str, object]:
    """The listener's fields as an ordinary user finds them, in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            listener = ask()
            fields = {} if listener is None else {name: getattr(listener, name) for name in listener.__struct_fields__}
            os.write(writer, json.dumps(fields).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    seen: dict[str, object] = json.loads(text)
    return seen


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@needs_root
def test_another_users_processes_cannot_be_seen_and_nobody_is_made_up() -> None:
    with server("127.0.0.1") as (port, _):
        seen = as_another_user(lambda: find_listener("127.0.0.1", port))
    assert (seen["address"], seen["pids"], seen["uid"]) == (f"127.0.0.1:{port}", [], 0)


@pytest.fixture
def cgroup() -> Iterator[Path]:
    """A cgroup of version 2 in ours."""
    mounts, own = Path("/proc/mounts").read_text(), Path("/proc/self/cgroup").read_text()
    for _, parent in own_cgroups(mounts, own, VERSION_2):
        folder = parent / f"{CGROUP_PREFIX}{os.getpid()}-service"
        try:
            folder.mkdir()
        except OSError:
            continue
        yield folder
        deadline = time.monotonic() + 10.0
        while folder.exists():  # a process leaves its cgroup a moment after its end
            with contextlib.suppress(OSError):
                folder.rmdir()
            assert time.monotonic() < deadline
        return
    pytest.skip("no cgroup of version 2 can be made here")


@needs_root
def test_another_users_service_is_found_by_its_cgroup(cgroup: Path) -> None:
    with server("127.0.0.1", workers=1, cgroup=cgroup) as (port, pids):
        listener = found("127.0.0.1", port)
        assert (listener.cgroup, listener.pids) == (str(cgroup), sorted(pids))
        seen = as_another_user(lambda: find_listener("127.0.0.1", port))
        assert (seen["cgroup"], seen["pids"], seen["names"]) == (str(cgroup), [], listener.names)
        assert cgroup_of(cgroup.stat().st_ino) == cgroup
        assert (cpu_ns(cgroup) or 0) > 0


def test_a_server_in_hopcosts_own_cgroup_has_none_that_counts_for_it() -> None:
    with server("127.0.0.1") as (port, _):
        assert found("127.0.0.1", port).cgroup is None


def test_hopcosts_own_socket_is_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as own:
        assert found("127.0.0.1", own.getsockname()[1]).pids == [os.getpid()]
