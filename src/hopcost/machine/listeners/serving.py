"""Which listening sockets get the connections to an address: the one bound to it, else a wildcard's."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, IPv6Address

import psutil

from hopcost.machine.listeners.listening import ListeningSocket

Ip = IPv4Address | IPv6Address
LOOPBACK: dict[int, Ip] = {
    4: IPv4Address("127.0.0.1"),
    6: IPv6Address("::1"),
}  # where a connection to 0.0.0.0 or :: goes


def resolve(host: str) -> list[Ip]:
    """The addresses of a host in the order in which a client tries them; none if nobody knows it."""
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(to_ip(str(address[0])) for *_, address in addresses))


def to_ip(text: str) -> Ip:
    """An address without its zone, in the form that it is served in.

    >>> to_ip("fe80::1%eth0"), to_ip("::ffff:10.0.0.1"), to_ip("0.0.0.0")
    (IPv6Address('fe80::1'), IPv4Address('10.0.0.1'), IPv4Address('127.0.0.1'))
    """
    ip: Ip = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return LOOPBACK[ip.version] if ip.is_unspecified else ip


def own_addresses() -> set[Ip]:
    """The addresses of this machine's cards."""
    cards = psutil.net_if_addrs().values()
    families = (socket.AF_INET, socket.AF_INET6)
    return {to_ip(address.address) for card in cards for address in card if address.family in families}


def find_serving(sockets: Sequence[ListeningSocket], ip: Ip, port: int, own: Collection[Ip]) -> list[ListeningSocket]:
    """All sockets of the group that serves this address; none if nobody here does. `own` are this machine's addresses.

    The kernel takes an exact address before a wildcard, and an IPv4 wildcard before one that is IPv6's too.
    """
    on_port = [
        (listener, listener.tcp) for listener in sockets if listener.tcp is not None and listener.tcp.port == port
    ]
    exact = [listener for listener, tcp in on_port if tcp.ip == ip]
    if exact or not (ip.is_loopback or ip in own):
        return exact
    same = [listener for listener, tcp in on_port if tcp.ip.is_unspecified and tcp.ip.version == ip.version]
    if same or ip.version == 6:
        return same
    return [listener for listener, tcp in on_port if tcp.serves_ipv4 and tcp.ip.is_unspecified]
