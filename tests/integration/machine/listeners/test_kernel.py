"""Listening sockets as this machine's kernel tells of them: by its diagnostics, and the same out of /proc/net."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopcost.machine.listeners import kernel
from hopcost.machine.listeners.listening import ListeningSocket
from hopcost.machine.network_namespace import inside
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.session import Net, Session

needs_namespaces = pytest.mark.skipif(
    not network.find_network().own, reason=f"no network namespaces: {network.find_network().why}"
)


@contextlib.contextmanager
def listening(folder: Path) -> Iterator[list[socket.socket]]:
    """A socket of each kind that listens: IPv4, IPv6 for both, a file, a name without a file."""
    with contextlib.ExitStack() as close:
        ipv4 = close.enter_context(socket.create_server(("127.0.0.1", 0)))
        ipv6 = close.enter_context(socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True))
        file, name = (close.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        file.bind(str(folder / "app.sock"))
        name.bind(f"\0hopcost-test-{ipv4.getsockname()[1]}")
        file.listen()
        name.listen()
        yield [ipv4, ipv6, file, name]


def addresses(sockets: list[socket.socket], folder: Path) -> list[str]:
    port, other = (each.getsockname()[1] for each in sockets[:2])
    return [f"127.0.0.1:{port}", f"[::]:{other}", f"unix:{folder}/app.sock", f"unix:@hopcost-test-{port}"]


def of(sockets: list[socket.socket], namespace: str | None = None) -> list[ListeningSocket]:
    """Those that are told of, in the order of `sockets`."""
    told = {each.inode: each for each in kernel.listening_sockets(namespace)}
    return [told[Path(f"/proc/self/fd/{each.fileno()}").stat().st_ino] for each in sockets]


def test_all_kinds_of_sockets_are_told_of(tmp_path: Path) -> None:
    with listening(tmp_path) as sockets:
        told = of(sockets)
        assert [each.address for each in told] == addresses(sockets, tmp_path)
        assert told[1].tcp is not None and told[1].tcp.serves_ipv4
        status = (tmp_path / "app.sock").stat()
        assert told[2].file == (status.st_dev, status.st_ino)


def test_a_socket_that_only_connects_is_not_told_of() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        inode = Path(f"/proc/self/fd/{client.fileno()}").stat().st_ino
        assert inode not in {each.inode for each in kernel.listening_sockets()}


def test_the_same_out_of_tables_where_the_kernel_has_no_diagnostics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(question: bytes) -> list[bytes]:
        raise OSError("no diagnostics")

    with listening(tmp_path) as sockets:
        monkeypatch.setattr(kernel, "dump", refused)
        assert [each.address for each in of(sockets)] == addresses(sockets, tmp_path)


@needs_namespaces
@pytest.mark.usefixtures("nothing_left")
def test_another_namespace_has_its_own_and_its_tables_can_be_read_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(net=Net())
    folder = tmp_path / "there"
    folder.mkdir()
    try:
        with listening(tmp_path) as sockets:
            assert not {each.address for each in kernel.listening_sockets(session.namespace)} & set(
                addresses(sockets, tmp_path)
            )
        with inside(session.namespace), listening(folder) as sockets:
            expected = [each.address for each in of(sockets)]

            def forbidden(path: str | None) -> contextlib.AbstractContextManager[None]:
                raise PermissionError

            monkeypatch.setattr(kernel, "inside", forbidden)
            assert [each.address for each in of(sockets, session.namespace)] == expected
    finally:
        monkeypatch.undo()
        session.kill()


def test_a_namespace_that_is_gone_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        kernel.listening_sockets("/proc/4194305/ns/net")
