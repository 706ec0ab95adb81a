"""A listening socket as the kernel has it, whichever way it was read."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple


class TcpAddress(NamedTuple):
    """Where a TCP socket listens. `serves_ipv4` is true of an IPv6 socket that takes IPv4 connections too."""

    ip: IPv4Address | IPv6Address
    port: int
    serves_ipv4: bool


class SocketFile(NamedTuple):
    """The file that a Unix socket is bound to."""

    device: int
    inode: int


class ListeningSocket(NamedTuple):
    """A socket in LISTEN; `tcp` is None of a Unix socket. None: this kernel does not tell."""

    address: str
    inode: int
    uid: int | None
    cgroup_id: int | None = None
    tcp: TcpAddress | None = None
    file: SocketFile | None = None


def tcp_address(packed: bytes, port: int, *, only_ipv6: bool) -> TcpAddress:
    """From 4 or 16 bytes in network order. ::ffff:127.0.0.1 is 127.0.0.1: it takes IPv4 connections alone."""
    if len(packed) == 4:
        return TcpAddress(IPv4Address(packed), port, serves_ipv4=True)
    ip = IPv6Address(packed)
    if ip.ipv4_mapped is not None:
        return TcpAddress(ip.ipv4_mapped, port, serves_ipv4=True)
    return TcpAddress(ip, port, serves_ipv4=ip.is_unspecified and not only_ipv6)


def words_of(tcp: TcpAddress) -> str:
    """`127.0.0.1:3000`, `[::]:80`."""
    return f"{tcp.ip}:{tcp.port}" if tcp.ip.version == 4 else f"[{tcp.ip}]:{tcp.port}"


def words_of_path(name: str) -> str:
    """`unix:/run/app.sock`; a name that is no file has an @, as `ss` shows it.

    >>> words_of_path("/run/app.sock"), words_of_path("\\0app")
    ('unix:/run/app.sock', 'unix:@app')
    """
    return f"unix:@{name[1:]}" if name.startswith("\0") else f"unix:{name}"
