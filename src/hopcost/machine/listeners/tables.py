"""Listening sockets out of /proc/net, for kernels and containers without socket diagnostics. Slower, and no cgroups."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from hopcost.machine.listeners.listening import ListeningSocket, tcp_address, words_of, words_of_path

LISTEN = "0A"
ACCEPTS = 0x1_0000  # __SO_ACCEPTCON of a Unix socket's flags
NO_FILE = "@"  # begins a name that is no file's; the kernel shows its zero bytes so


def read_tcp(folder: Path) -> list[ListeningSocket]:
    """IPv4's; OSError if even that table cannot be read."""
    return list(tcp_of((folder / "tcp").read_text()))


def read_tcp6(folder: Path) -> list[ListeningSocket]:
    """IPv6's; none if the kernel has no IPv6."""
    table = folder / "tcp6"
    return list(tcp_of(table.read_text())) if table.exists() else []


def read_unix(folder: Path) -> list[ListeningSocket]:
    """Unix sockets; none if there is no such table."""
    table = folder / "unix"
    return list(unix_of(table.read_text(errors="surrogateescape"))) if table.exists() else []


def tcp_of(table: str) -> Iterator[ListeningSocket]:
    """From the text of /proc/net/tcp or tcp6. It does not say whether an IPv6 socket takes IPv4: most do.

    >>> fields = "0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1"
    >>> [(listener.address, listener.uid, listener.inode) for listener in tcp_of("head\\n   0: " + fields)]
    [('127.0.0.1:3000', 1000, 4242)]
    """
    for line in table.splitlines()[1:]:
        _, local, _, state, _, _, _, uid, _, inode, *_ = line.split()
        if state == LISTEN:
            address, _, port = local.rpartition(":")
            tcp = tcp_address(_packed(address), int(port, 16), only_ipv6=False)
            yield ListeningSocket(address=words_of(tcp), inode=int(inode), uid=int(uid), tcp=tcp)


def _packed(words: str) -> bytes:
    """An address in network order, of which the kernel shows each four bytes as a number."""
    numbers = [int(words[at : at + 8], 16) for at in range(0, len(words), 8)]
    return struct.pack(f"={len(numbers)}I", *numbers)


def unix_of(table: str) -> Iterator[ListeningSocket]:
    """From the text of /proc/net/unix.

    >>> line = "0000000000000000: 00000002 00000000 00010000 0001 01 77 /run/app.sock"
    >>> [(listener.address, listener.inode) for listener in unix_of("head\\n" + line)]
    [('unix:/run/app.sock', 77)]
    """
    for line in table.splitlines()[1:]:
        words = line.split(maxsplit=7)
        if len(words) == 8 and int(words[3], 16) & ACCEPTS:
            name = words[7]
            name = f"\0{name[1:]}" if name.startswith(NO_FILE) else name
            yield ListeningSocket(address=words_of_path(name), inode=int(words[6]), uid=None)
