"""Refused connects in a stack's namespace, seen from outside of the app."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from hopcost.machine.network_namespace import inside
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.refused import RefusedConnections
from hopcost.stacks.sandbox.session import Net, Session

needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)


@pytest.fixture
def namespace(nothing_left: object) -> Iterator[str]:
    session = Session(net=Net())
    try:
        assert session.namespace is not None
        yield session.namespace
    finally:
        session.kill()


def connect(host: str, port: int) -> None:
    with contextlib.suppress(ConnectionRefusedError), socket.create_connection((host, port), timeout=10):
        pass


@needs_namespaces
def test_refused_destinations_are_told_once_each_in_their_order(namespace: str) -> None:
    with RefusedConnections(namespace) as refused:
        assert refused.why_blind is None
        with inside(namespace):
            for host, port in (("127.0.0.1", 5432), ("::1", 6379), ("127.0.0.1", 5432), ("127.0.0.2", 11211)):
                connect(host, port)
        assert refused.read() == [("127.0.0.1", 5432), ("::1", 6379), ("127.0.0.2", 11211)]
        with inside(namespace):
            connect("127.0.0.1", 3306)
    assert refused.read()[-1] == ("127.0.0.1", 3306), "what came before its end is told after it"


@needs_namespaces
def test_a_connection_that_was_accepted_and_broken_off_is_no_refusal(namespace: str) -> None:
    with RefusedConnections(namespace) as refused, inside(namespace), socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname(), timeout=10) as client:
            accepted, _ = server.accept()
            client.sendall(b"unread")
            accepted.recv(1)
            accepted.close()  # with data unread: a reset
            with contextlib.suppress(ConnectionResetError):
                client.recv(1)
        assert refused.read() == []


@needs_namespaces
def test_data_does_not_push_a_refusal_out(namespace: str) -> None:
    with RefusedConnections(namespace) as refused, inside(namespace), socket.create_server(("127.0.0.1", 0)) as server:
        connect("127.0.0.1", 5432)
        with socket.create_connection(server.getsockname(), timeout=10) as client, server.accept()[0] as accepted:
            for _ in range(100):
                client.sendall(bytes(10_000))
                left = 10_000
                while left:
                    left -= len(accepted.recv(left))
        assert refused.read() == [("127.0.0.1", 5432)]


@needs_namespaces
def test_ports_that_hopcost_tries_itself_are_left_out(namespace: str) -> None:
    with RefusedConnections(namespace, but_ports=[8000]) as refused, inside(namespace):
        connect("127.0.0.1", 8000)
        connect("127.0.0.1", 5432)
        assert refused.read() == [("127.0.0.1", 5432)]


@needs_namespaces
@pytest.mark.parametrize("own", ["127.0.0.1", "::1"])
def test_they_do_not_push_a_refusal_out_either(namespace: str, own: str) -> None:
    with RefusedConnections(namespace, but_ports=[3000, 8000]) as refused, inside(namespace):
        for _ in range(2000):  # as while an app takes ten seconds to listen
            connect(own, 8000)
        connect("127.0.0.1", 5432)
        assert refused.read() == [("127.0.0.1", 5432)]


def test_without_a_namespace_it_sees_nothing_and_says_so() -> None:
    with RefusedConnections(None) as refused:
        assert refused.read() == []
        assert refused.why_blind == "the stack has no network namespace of its own"


def test_a_namespace_that_is_gone_is_no_error_but_a_reason() -> None:
    with RefusedConnections("/proc/4194305/ns/net") as refused:
        assert refused.read() == []
        assert "No such file" in (refused.why_blind or "")
