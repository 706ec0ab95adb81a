"""The thread that stays in the host's network: it runs calls there, and hands out connections."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest
from processes import small_apps

from hopcost.stacks.sandbox import namespaces, network
from hopcost.stacks.sandbox.home import Home

needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)


def ask(path: Path, *places: str) -> socket.socket | None:
    """The connection that is handed out for these addresses; None if there is none."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(10)
        asking.connect(str(path))
        asking.sendall(" ".join(places).encode())
        _, files, _, _ = socket.recv_fds(asking, 1, 1)
    return socket.socket(fileno=files[0]) if files else None


def test_errors_of_a_call_come_back() -> None:
    home = Home()
    assert home.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        home.run(lambda: 1 // 0)
    assert home.run(lambda: threading.current_thread().name) == "hopcost-home"


def test_the_first_address_that_accepts_is_connected_to(tmp_path: Path) -> None:
    home, path = Home(), tmp_path / "connect.sock"
    requests = home.begin_to_connect(path)
    with small_apps.database() as port:
        connection = ask(path, f"[::1]:{small_apps.free_port()}", f"127.0.0.1:{port}")
        assert connection is not None
        with connection:
            assert connection.getpeername() == ("127.0.0.1", port) and connection.getblocking()
            connection.sendall(b"select 7\n")
            assert connection.recv(10) == b"7\n"
    assert ask(path, f"127.0.0.1:{port}") is None, "nobody is there any more"
    home.end_to_connect(requests)
    with pytest.raises(ConnectionRefusedError):
        ask(path, f"127.0.0.1:{port}")


@needs_namespaces
def test_it_stays_where_it_was_when_others_go(tmp_path: Path) -> None:
    home, before = Home(), Path(namespaces.OWN).readlink()
    with Path(namespaces.OWN).open("rb") as first:
        namespaces.make()
        try:
            assert Path(namespaces.OWN).readlink() != before
            assert home.run(lambda: os.readlink(namespaces.OWN)) == str(before)  # noqa: PTH115 - of its own thread
        finally:
            namespaces.enter(first.fileno())
