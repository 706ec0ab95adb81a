"""Unix sockets in LISTEN: the question to the kernel's socket diagnostics (unix_diag of sock_diag(7)), its answers."""

from __future__ import annotations

import os
import socket
import struct

from hopcost.machine.listeners.listening import ListeningSocket, SocketFile, words_of_path
from hopcost.machine.listeners.netlink import read_attributes

LISTEN = 1 << 10
QUESTION = struct.Struct("=BBxxIII8x")  # family, protocol, states, inode, what to show
SHOW = 0x01 | 0x02 | 0x40  # UDIAG_SHOW_NAME, _VFS, _UID
FIXED = struct.Struct("=BBBxI8x")  # family, type, state, inode
NAME, FILE, UID = 0, 1, 7  # UNIX_DIAG_NAME, _VFS, _UID
SOCKET_FILE = struct.Struct("=II")  # inode, device
U32 = struct.Struct("=I")
MINOR_BITS = 20  # of a device's number inside the kernel


def write_question() -> bytes:
    """All listeners."""
    return QUESTION.pack(socket.AF_UNIX, 0, LISTEN, 0, SHOW)


def read_answer(body: bytes) -> ListeningSocket | None:
    """The socket that a message is about; None if it has no name."""
    *_, inode = FIXED.unpack_from(body)
    attributes = read_attributes(body[FIXED.size :])
    name = os.fsdecode(attributes.get(NAME, b""))
    if not name:
        return None
    uid = attributes.get(UID, b"")
    return ListeningSocket(
        address=words_of_path(name if name.startswith("\0") else name.rstrip("\0")),
        inode=inode,
        uid=U32.unpack(uid)[0] if len(uid) == U32.size else None,
        file=_file(attributes.get(FILE, b"")),
    )


def _file(value: bytes) -> SocketFile | None:
    if len(value) != SOCKET_FILE.size:
        return None
    inode, device = SOCKET_FILE.unpack(value)
    return SocketFile(os.makedev(device >> MINOR_BITS, device & ((1 << MINOR_BITS) - 1)), inode)
