"""Where an address is: on this machine, in a private network, or somebody's server on the internet."""

from __future__ import annotations

import ipaddress
import socket
from enum import Enum
from ipaddress import IPv4Address, IPv6Address

import psutil

from hopcost.errors import CannotMeasure, UsageError
from hopcost.measure.protocols.versus.url import Url

CONNECT_S = 5.0
# Loopback, RFC 1918, unique local and link-local addresses: whoever is there knows whom to ask.
OWN_NETWORKS = [
    ipaddress.ip_network(network)
    for network in (
        "127.0.0.0/8", "::1/128", "0.0.0.0/32", "::/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
        "fc00::/7", "169.254.0.0/16", "fe80::/10",
    )
]  # fmt: skip
LOOPBACK = OWN_NETWORKS[:4]


class Place(Enum):
    """What is known of an address by itself."""

    HERE = "this machine"
    PRIVATE = "a private network"
    PUBLIC = "the internet"


def place_of(ip: str, own: frozenset[str] = frozenset()) -> Place:
    """`own` are the addresses of this machine; a public one of them is public all the same.

    >>> [place_of(ip).name for ip in ("127.0.0.1", "::1", "10.1.2.3", "fd00::1", "100.64.0.1", "8.8.8.8")]
    ['HERE', 'HERE', 'PRIVATE', 'PRIVATE', 'PUBLIC', 'PUBLIC']
    """
    address = _plain(ip)
    if any(address in network for network in LOOPBACK):
        return Place.HERE
    if any(address in network for network in OWN_NETWORKS):
        return Place.HERE if str(address) in own else Place.PRIVATE
    return Place.PUBLIC


def own_addresses() -> frozenset[str]:
    """Those of this machine's interfaces."""
    cards = psutil.net_if_addrs().values()
    return frozenset(address.address.partition("%")[0] for addresses in cards for address in addresses)


def refuse_public(url: Url, ip: str, *, may_load: bool) -> None:
    """UsageError for an address of the internet, unless the person said that it is theirs to load."""
    if place_of(ip) is Place.PUBLIC and not may_load:
        raise UsageError(
            f"{url.text}: {ip} is neither this machine nor a private address: the load may disturb others",
            "--i-may-load-this, if its owner has agreed",
        )


def resolve(url: Url) -> str:
    """The IP address to load: of several the first that accepts a connection; CannotMeasure if there is none."""
    assert url.port is not None, "a socket has no address"
    try:
        addresses = socket.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise CannotMeasure(f"`{url.host}` cannot be resolved: {error}", "is the name spelled right?") from error
    ips = list(dict.fromkeys(str(address[0]) for *_, address in addresses))
    return next((ip for ip in ips if len(ips) > 1 and _accepts(ip, url.port)), ips[0])


def host_and_port(ip: str, port: int | None) -> str:
    """`127.0.0.1:80` or `[::1]:80`."""
    return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"


def _accepts(ip: str, port: int) -> bool:
    if place_of(ip) is Place.PUBLIC:
        return True  # nobody has said yet that it may be touched
    try:
        socket.create_connection((ip, port), timeout=CONNECT_S).close()
    except OSError:
        return False
    return True


def _plain(ip: str) -> IPv4Address | IPv6Address:
    """An IPv4 address that is written as one of IPv6 is what it stands for."""
    address = ipaddress.ip_address(ip.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address
