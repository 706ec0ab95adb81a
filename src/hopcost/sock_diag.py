"""Connections in TIME_WAIT out of the kernel's socket diagnostics, sock_diag(7).

/proc/net/tcp has them too, but takes 3 to 7 ms to read however few they are: of a quick run's harness that was more
than all the rest. One question and its answer: a library of netlink would be more to read than this.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

PROTOCOL, BY_FAMILY, DUMP_REQUEST = 4, 20, 0x301  # NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP
ERROR, DONE = 2, 3  # types of messages
TIME_WAIT = 1 << 6  # of the states that are asked for
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
REQUEST = struct.Struct("=BBBxI48x")  # family, protocol, extensions, states; any socket
PORTS, PORTS_AT = struct.Struct("!HH"), 4  # local and remote, in a message's body
RECEIVE_BYTES, TIMEOUT_S = 1 << 16, 1.0


def time_wait_ports() -> list[tuple[int, int]]:
    """Local and remote port of each in the calling thread's network namespace; OSError where the kernel refuses."""
    return [ports for family in (socket.AF_INET, socket.AF_INET6) for ports in _dump(family)]


def _dump(family: int) -> Iterator[tuple[int, int]]:
    body = REQUEST.pack(family, socket.IPPROTO_TCP, 0, TIME_WAIT)
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
