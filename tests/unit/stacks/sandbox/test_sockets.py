"""Connections in TIME_WAIT by the kernel's socket diagnostics, beside /proc/net/tcp."""

from __future__ import annotations

import contextlib
import errno
import socket
from pathlib import Path

import pytest

from hopcost.record.contents.evidence import TimeWait
from hopcost.stacks.sandbox import sockets


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_it_says_what_proc_says(family: socket.AddressFamily, host: str) -> None:
    """Among them connections that the client closed first, and one that the server did."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket(family))
        try:
            listener.bind((host, 0))
        except OSError:
            pytest.skip(f"no {host} here")
        listener.listen()
        port = listener.getsockname()[1]
        for client_first in (True, True, False):
            client = socket.create_connection((host, port))
            server, _ = listener.accept()
            for each in (client, server) if client_first else (server, client):
                each.close()
    table = Path("/proc/thread-self/net/tcp6" if family is socket.AF_INET6 else "/proc/thread-self/net/tcp").read_text()
    expected = sorted(pair for pair in sockets.ports_of(table) if port in pair)
    assert sorted(pair for pair in sockets.time_wait_ports() if port in pair) == expected
    assert sockets.count_time_wait_of({"app": port}, [None]) == [TimeWait(hop="app", server=1, client=2)]


def test_without_it_proc_is_read() -> None:
    def refused() -> list[tuple[int, int]]:
        raise OSError(errno.EPROTONOSUPPORT, "Protocol not supported")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        server, _ = listener.accept()
        client.close()
        server.close()
    assert sockets.count_time_wait_of({"app": port}, [None], ask=refused) == [TimeWait(hop="app", server=0, client=1)]
