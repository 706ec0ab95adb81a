"""TCP sockets in LISTEN: the question to the kernel's socket diagnostics (inet_diag of sock_diag(7)), its answers."""

from __future__ import annotations

import socket
import struct

from hopcost.machine.listeners.listening import ListeningSocket, tcp_address, words_of
from hopcost.machine.listeners.netlink import read_attributes

LISTEN = 1 << 10  # of the states that are asked for
QUESTION = struct.Struct("=BBBxI48x")  # family, protocol, extensions, states; any address
FIXED = struct.Struct("=BBxx2s2x16s16x4x8x12xII")  # family, state, port, address, uid, inode
PORT = struct.Struct("!H")
ONLY_IPV6, CGROUP_ID = 11, 21  # INET_DIAG_SKV6ONLY, INET_DIAG_CGROUP_ID: attributes that need no asking
U64 = struct.Struct("=Q")


def write_question(family: int) -> bytes:
    """All listeners of AF_INET or AF_INET6."""
    return QUESTION.pack(family, socket.IPPROTO_TCP, 0, LISTEN)


def read_answer(body: bytes) -> ListeningSocket:
    """The socket that a message is about."""
    family, _, port, address, uid, inode = FIXED.unpack_from(body)
    attributes = read_attributes(body[FIXED.size :])
    packed = address[:4] if family == socket.AF_INET else address
    tcp = tcp_address(packed, PORT.unpack(port)[0], only_ipv6=any(attributes.get(ONLY_IPV6, b"")))
    cgroup = attributes.get(CGROUP_ID, b"")
    return ListeningSocket(
        address=words_of(tcp),
        inode=inode,
        uid=uid,
        cgroup_id=U64.unpack(cgroup)[0] if len(cgroup) == U64.size else None,
        tcp=tcp,
    )
