"""Connections in TIME_WAIT by the kernel's socket diagnostics, beside /proc/net/tcp."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopcost.record.contents.evidence import TimeWait
from hopcost.stacks.sandbox import sockets

IPV6_LOOPBACK = f"{1:032x}"
IPV6_ADDRESSES = Path("/proc/net/if_inet6")
needs_ipv6 = pytest.mark.skipif(
    not IPV6_ADDRESSES.exists() or IPV6_LOOPBACK not in IPV6_ADDRESSES.read_text(), reason="no ::1 here"
)


@pytest.mark.parametrize(
    ("family", "host"), [(socket.AF_INET, "127.0.0.1"), pytest.param(socket.AF_INET6, "::1", marks=needs_ipv6)]
)
def test_it_says_what_proc_says(family: socket.AddressFamily, host: str) -> None:
    """Among them connections that the client closed first, and one that the server did."""
    with listening(family, host) as listener:
        port = listener.getsockname()[1]
        for client_first in (True, True, False):
            client = socket.create_connection((host, port))
            server, _ = listener.accept()
            for end in (client, server) if client_first else (server, client):
                end.close()
    table = Path("/proc/thread-self/net/tcp6" if family is socket.AF_INET6 else "/proc/thread-self/net/tcp").read_text()
    expected = sorted(pair for pair in sockets.ports_of(table) if port in pair)
    assert sorted(pair for pair in sockets.time_wait_ports() if port in pair) == expected
    assert sockets.count_time_wait_of({"app": port}, [None]) == [TimeWait(hop="app", server=1, client=2)]


def test_without_it_proc_is_read() -> None:
    def refused() -> list[tuple[int, int]]:
        raise OSError(errno.EPROTONOSUPPORT, "Protocol not supported")

    with listening(socket.AF_INET, "127.0.0.1") as listener:
        port = listener.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        server, _ = listener.accept()
        client.close()
        server.close()
    assert sockets.count_time_wait_of({"app": port}, [None], ask=refused) == [TimeWait(hop="app", server=0, client=1)]


@contextlib.contextmanager
def listening(family: socket.AddressFamily, host: str) -> Iterator[socket.socket]:
    """A listener on a port that no connection in TIME_WAIT has, of either family: counts go by port alone."""
    taken = {port for pair in sockets.time_wait_ports() for port in pair}
    with contextlib.ExitStack() as stack:
        listeners = (stack.enter_context(socket.create_server((host, 0), family=family)) for _ in range(100))
        yield next(listener for listener in listeners if listener.getsockname()[1] not in taken)
