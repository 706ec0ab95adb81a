"""Connections in TIME_WAIT out of the kernel's socket diagnostics, sock_diag(7).

/proc/net/tcp has them too, but takes 3 to 7 ms to read however few they are, which was most of a quick run's harness.
One question and its answer: a netlink library would be more to read than this.
"""

from __future__ import annotations

import os
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from hopcost.record.contents.evidence import TimeWait
from hopcost.stacks.sandbox.namespaces import inside

PROTOCOL, BY_FAMILY, DUMP_REQUEST = 4, 20, 0x301  # NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP
ERROR, DONE = 2, 3  # types of messages
TIME_WAIT_STATE = 1 << 6  # of the states that are asked for
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
REQUEST = struct.Struct("=BBBxI48x")  # family, protocol, extensions, states; any socket
PORTS, PORTS_AT = struct.Struct("!HH"), 4  # local and remote, in a message's body
RECEIVE_BYTES, TIMEOUT_S = 1 << 16, 1.0


def time_wait_ports() -> list[tuple[int, int]]:
    """Local and remote ports of connections in the calling thread's namespace; OSError if the kernel refuses."""
    return [ports for family in (socket.AF_INET, socket.AF_INET6) for ports in _dump(family)]


def _dump(family: int) -> Iterator[tuple[int, int]]:
    body = REQUEST.pack(family, socket.IPPROTO_TCP, 0, TIME_WAIT_STATE)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, PROTOCOL) as kernel:
        kernel.settimeout(TIMEOUT_S)
        kernel.send(HEADER.pack(HEADER.size + len(body), BY_FAMILY, DUMP_REQUEST, 0, 0) + body)
        while True:
            answer = memoryview(kernel.recv(RECEIVE_BYTES))
            while answer:
                length, kind, *_ = HEADER.unpack_from(answer)
                if kind == DONE:
                    return
                if kind == ERROR:
                    (code,) = struct.unpack_from("=i", answer, HEADER.size)
                    raise OSError(-code, os.strerror(-code))
                local, remote = PORTS.unpack_from(answer, HEADER.size + PORTS_AT)
                yield local, remote
                answer = answer[(length + 3) & ~3 :]


TIME_WAIT = "06"  # the state in /proc/net/tcp


def count_time_wait_of(
    listening: Mapping[str, int],
    namespaces: Iterable[str | None],
    ask: Callable[[], list[tuple[int, int]]] = time_wait_ports,
) -> list[TimeWait]:
    """Counts for the hops that listen on these ports, over these namespaces (None: this thread's own).

    If the kernel refuses to be asked, /proc/net/tcp is read.
    """
    pairs: list[tuple[int, int]] = []
    for path in dict.fromkeys(namespaces):
        with inside(path):
            pairs += _ask_or_read(ask)
    return count_time_wait(listening, pairs)


def _ask_or_read(ask: Callable[[], list[tuple[int, int]]]) -> list[tuple[int, int]]:
    try:
        return ask()
    except OSError:  # a kernel without socket diagnostics
        tables = [Path(f"/proc/thread-self/net/{name}") for name in ("tcp", "tcp6")]
        return [ports for table in tables if table.exists() for ports in ports_of(table.read_text())]


def ports_of(table: str) -> Iterator[tuple[int, int]]:
    """Local and remote port of each connection in TIME_WAIT in the text of /proc/net/tcp.

    >>> list(ports_of("  sl  local_address rem_address   st\\n   0: 0100007F:1F90 0100007F:9C40 06 00000000:00000000"))
    [(8080, 40000)]
    """
    for line in table.splitlines()[1:]:
        _, local, remote, state, *_ = line.split(maxsplit=4)
        if state == TIME_WAIT:
            yield int(local.rpartition(":")[2], 16), int(remote.rpartition(":")[2], 16)


def count_time_wait(listening: Mapping[str, int], ports: Iterable[tuple[int, int]]) -> list[TimeWait]:
    """The same out of local and remote ports.

    >>> count_time_wait({"app": 8080}, [(8080, 40000)])
    [TimeWait(hop='app', server=1, client=0)]
    """
    pairs = list(ports)
    local, remote = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    return [TimeWait(hop=hop, server=local[port], client=remote[port]) for hop, port in listening.items()]
