"""One connection: requests in turn on it, its end while it is idle, and answers that do not end."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Sequence

import pytest

from hopcost.stacks.client import connection
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import Connection, Endless

KEPT = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
Serve = Callable[[Sequence[bytes]], Address]


@pytest.fixture
def serve() -> Serve:
    """A server that answers the requests of one connection with these bytes in turn, and then closes it."""

    def start(replies: Sequence[bytes]) -> Address:
        listener = socket.create_server(("127.0.0.1", 0))

        def answer() -> None:
            with listener, listener.accept()[0] as client, contextlib.suppress(OSError):  # it need not be read
                for reply in replies:
                    client.recv(65536)
                    client.sendall(reply)

        threading.Thread(target=answer, daemon=True).start()
        return Address(link="http+tcp", address=f"127.0.0.1:{listener.getsockname()[1]}")

    return start


def test_a_kept_connection_takes_the_next_request(serve: Serve) -> None:
    with Connection(serve([KEPT, CLOSED])) as asked:
        assert (asked.ask("/a").body, asked.is_kept) == (b"ok", True)
        assert (asked.ask("/b").body, asked.is_kept) == (b"ok", False)
        assert asked.received == CLOSED


@pytest.mark.parametrize("reply", [CLOSED, b"HTTP/1.0 200 OK\r\n\r\nok"], ids=["it says so", "HTTP/1.0"])
def test_a_connection_that_the_server_closes_is_not_kept(serve: Serve, reply: bytes) -> None:
    with Connection(serve([reply])) as asked:
        assert (asked.ask("/").body, asked.is_kept) == (b"ok", False)


def test_the_end_of_an_idle_connection_is_seen(serve: Serve) -> None:
    with Connection(serve([KEPT])) as asked:
        asked.ask("/")
        assert asked.wait_for_end(60.0) is not None


def test_an_idle_connection_may_outlast_the_wait() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(link="http+tcp", address=f"127.0.0.1:{listener.getsockname()[1]}")
        with Connection(address) as asked:
            assert asked.wait_for_end(0.01) is None


def test_a_body_that_does_not_end_in_time_is_endless() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(link="http+tcp", address=f"127.0.0.1:{listener.getsockname()[1]}")
        with Connection(address, timeout_s=0.2) as asked, listener.accept()[0] as client:
            client.sendall(head)
            with pytest.raises(Endless, match="9 bytes of a body came"):
                asked.ask("/")


def test_a_server_without_a_word_is_no_endless_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(link="http+tcp", address=f"127.0.0.1:{listener.getsockname()[1]}")
        with Connection(address, timeout_s=0.05) as asked, pytest.raises(TimeoutError, match="nothing came within"):
            asked.ask("/")


def test_a_body_that_is_longer_than_any_is_endless(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_BODY", 1000)
    with Connection(serve([b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200_000])) as asked, pytest.raises(Endless):
        asked.ask("/")


def test_a_host_of_the_workload_takes_the_place_of_localhost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(link="http+tcp", address=f"127.0.0.1:{listener.getsockname()[1]}")
        with Connection(address) as asked, listener.accept()[0] as client:
            client.sendall(CLOSED)
            asked.ask("/", [("host", "example.org")])
            assert client.recv(65536) == b"GET / HTTP/1.1\r\nhost: example.org\r\n\r\n"
