"""Ask the kernel for all listening sockets of a network namespace: by sock_diag(7), else out of /proc/net."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from hopcost.machine.listeners import netlink, tables, tcp, unix
from hopcost.machine.listeners.listening import ListeningSocket
from hopcost.machine.network_namespace import inside

PROTOCOL, BY_FAMILY = 4, 20  # NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY
RECEIVE_BYTES, TIMEOUT_S = 1 << 16, 1.0
OWN_TABLES = Path("/proc/thread-self/net")


def listening_sockets(namespace: str | None = None) -> list[ListeningSocket]:
    """TCP and Unix sockets in LISTEN in the namespace of this file; None is the calling thread's.

    Where another namespace may not be entered, its tables in /proc are read. OSError if neither can be.
    """
    try:
        with inside(namespace):
            return [
                *_ask_or_read(lambda: _ask_tcp(socket.AF_INET), tables.read_tcp),
                *_ask_or_read(lambda: _ask_tcp(socket.AF_INET6), tables.read_tcp6),
                *_ask_or_read(_ask_unix, tables.read_unix),
            ]
    except PermissionError:
        folder = tables_of(namespace)
        if folder is None:
            raise
        return [*tables.read_tcp(folder), *tables.read_tcp6(folder), *tables.read_unix(folder)]


def tables_of(namespace: str | None) -> Path | None:
    """The folder of /proc with the tables of a process's namespace, which anybody may read.

    >>> tables_of("/proc/7/ns/net"), tables_of("/run/netns/blue")
    (PosixPath('/proc/7/net'), None)
    """
    match = re.fullmatch(r"(/proc/\d+)/ns/net", namespace or "")
    return Path(match[1]) / "net" if match else None


def _ask_or_read(
    ask: Callable[[], Iterable[ListeningSocket]], read: Callable[[Path], list[ListeningSocket]]
) -> list[ListeningSocket]:
    try:
        return list(ask())
    except OSError:  # a kernel or a container without these diagnostics
        return read(OWN_TABLES)


def _ask_tcp(family: int) -> list[ListeningSocket]:
    return [tcp.read_answer(body) for body in dump(tcp.write_question(family))]


def _ask_unix() -> list[ListeningSocket]:
    answers = (unix.read_answer(body) for body in dump(unix.write_question()))
    return [answer for answer in answers if answer is not None]


def dump(question: bytes) -> list[bytes]:
    """What the kernel answers, one body per socket; OSError if it refuses."""
    bodies: list[bytes] = []
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, PROTOCOL) as kernel:
        kernel.settimeout(TIMEOUT_S)
        kernel.send(netlink.write_question(BY_FAMILY, question))
        while True:
            for message in netlink.read_messages(kernel.recv(RECEIVE_BYTES)):
                if message.kind == netlink.DONE:
                    return bodies
                bodies.append(message.body)
