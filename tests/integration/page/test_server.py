"""`hopcost serve` as a process and as a server: where it listens, how it ends, what a connection may take."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import command
import psutil
import pytest
from histories.listed import stepped

from hopcost.errors import UsageError
from hopcost.page import server


def url_of(process: subprocess.Popen[str]) -> str:
    """The line that it prints once it listens."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_it_listens_on_loopback_alone_answers_and_ends_well(tmp_path: Path, by: signal.Signals) -> None:
    with command.start("serve", "--database", tmp_path / "h.sqlite", "--port", "0", folder=tmp_path) as process:
        url = url_of(process)
        port = int(url.removeprefix("http://127.0.0.1:").removesuffix("/"))
        listening = [
            (connection.laddr.ip, connection.laddr.port)
            for connection in psutil.Process(process.pid).net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert listening == [("127.0.0.1", port)]
        with socket.create_connection(("127.0.0.1", port)) as idle:  # and one that asks nothing holds up nobody
            assert b"No record is kept yet" in asked(port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            process.send_signal(by)
            output, errors = process.communicate(timeout=60)
            assert idle.recv(1) == b""
    assert (process.returncode, output) == (0, "")
    assert errors.splitlines()[-1] == "stopped"
    assert "Traceback" not in errors and "ERROR" not in errors


def test_a_port_that_is_taken_is_told_with_another_one(tmp_path: Path) -> None:
    with server.bind(0) as taken:
        port = taken.getsockname()[1]
        shown = command.hopcost("serve", "--database", "h.sqlite", "--port", port, folder=tmp_path)
    assert shown.returncode == 2 and shown.stdout == ""
    assert shown.stderr.splitlines() == [
        f"error: --port {port}: another program listens there",
        f"hint: hopcost serve --port {port + 1}",
    ]


def test_a_server_that_ended_leaves_its_port_free() -> None:
    first = server.bind(0)
    port = first.getsockname()[1]
    with first, socket.create_connection(("127.0.0.1", port)):
        first.accept()[0].close()  # the side that closes first keeps the connection in TIME_WAIT
    with server.bind(port) as second:
        assert second.getsockname() == ("127.0.0.1", port)
        with pytest.raises(UsageError, match="another program listens there"):
            server.bind(port)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 1000)
    shown = command.hopcost("serve", "--database", "notes.txt", "--port", "0", folder=tmp_path)
    assert shown.returncode == 2 and "hint: " in shown.stderr
    assert "Traceback" not in shown.stderr


@contextlib.contextmanager
def running() -> Iterator[int]:
    """A server in a thread, over a history that is a list: its port."""
    own = server.make_server(stepped())
    listener = server.bind(0)
    thread = threading.Thread(target=own.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        own.should_exit = True
        thread.join()
        listener.close()


def asked(port: int, request: bytes) -> bytes:
    """All that comes back until the server closes, or until an answer is whole."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        with contextlib.suppress(ConnectionError):  # it may answer and close before it has read all
            connection.sendall(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        return received(connection)


def received(connection: socket.socket) -> bytes:
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: loc", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_request_that_does_not_come_to_its_end_is_cut(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(server, "LONGEST_REQUEST_S", 0.5)
    with running() as port, socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(said)
        assert received(connection) == b""


def test_a_connection_may_ask_again_and_again() -> None:
    with running() as port, socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for _ in range(3):
            connection.sendall(b"HEAD /history HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                answer += connection.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200 ")


def test_one_that_does_not_read_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for a file of a megabyte again and again, and takes nothing: its answers fill all buffers."""
    monkeypatch.setattr(server, "LONGEST_REQUEST_S", 0.5)
    with running() as port:
        page = asked(port, b"GET /records/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        style = page.partition(b'href="/static/')[2].partition(b'"')[0]
        request = b"GET /static/" + style + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", port))
        with connection, pytest.raises((ConnectionResetError, BrokenPipeError)):
            while True:
                connection.sendall(request * 100)


def test_headers_have_an_end() -> None:
    with running() as port:
        answer = asked(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n")
        assert answer == b"" or answer.split(b" ")[1] in (b"400", b"431")
        assert asked(port, b"GET /history HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_body_is_not_read() -> None:
    with running() as port:
        request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\nabc"
        assert asked(port, request).startswith(b"HTTP/1.1 405 ")
        request = b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\nabc"
        assert asked(port, request).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "target",
    [
        b"/static/../../../../../../etc/passwd",
        b"/records/../../../../etc/passwd",
        b"/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        b"/..%c0%af..%c0%afetc/passwd",
        b"//127.0.0.1/etc/passwd",
        b"http://evil.example/",
        b"file:///etc/passwd",
        b"*",
        b"/\xff",
    ],
)
def test_no_target_leads_out_of_the_page(target: bytes) -> None:
    with running() as port:
        answer = asked(port, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.split(b" ")[1] in (b"400", b"404")
    assert b"root:" not in answer


@pytest.mark.parametrize("host", [b"Host: evil.example", b"Host: localhost\r\nHost: evil.example", b"X: y"])
def test_another_host_is_refused(host: bytes) -> None:
    with running() as port:
        answer = asked(port, b"GET / HTTP/1.1\r\n" + host + b"\r\n\r\n")
        without = asked(port, b"GET / HTTP/1.0\r\n\r\n")
    assert answer.split(b" ")[1] in (b"400", b"421") and without.split(b" ")[1] == b"421"
    assert b"made-up" not in answer + without


def test_more_connections_than_it_takes_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_AT_ONCE", 3)
    with running() as port:
        request = b"GET /history HTTP/1.1\r\nHost: localhost\r\n\r\n"
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        try:
            answer = asked(port, request)
        finally:
            for connection in held:
                connection.close()
        assert answer.startswith(b"HTTP/1.1 503 ")
        while not asked(port, request).startswith(b"HTTP/1.1 200 "):  # until it has noticed that they are gone
            pass
