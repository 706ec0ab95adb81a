"""What apps need of the host: services that are forwarded into the stack's network namespace. Pure.

A Unix socket is reached from every namespace; a port is not.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.suites.arms.app import Service, read_service
from hopcost.suites.arms.arm import Arm

LOCALHOST = ("127.0.0.1", "::1")
FORWARDER = "forwarder"  # begins the names of these hops


class Forwarder(msgspec.Struct, frozen=True):
    """A process of hopcost that listens in a stack's namespace at the addresses that a service has in the host's."""

    name: str
    addresses: list[str]
    port: int

    def command(self, executable: str, option: str, path: str) -> list[str]:
        """Its command line: how it gets to the host, by the host's `--namespace` or a `--connector` there."""
        places = [
            f"[{address}]:{self.port}" if ":" in address else f"{address}:{self.port}" for address in self.addresses
        ]
        options = [word for place in places for word in ("--service", place)]
        return [executable, option, path, *options]


def services_of(arm: Arm) -> list[Service]:
    """What the arm's apps need, each service once."""
    needs = dict.fromkeys(need for hop in arm.hops if hop.app is not None for need in hop.app.needs)
    return [read_service(need) for need in needs]


def forwarders(services: Iterable[Service], hosts: str) -> list[Forwarder]:
    """A forwarder for each service that is no socket file; `hosts` is the text of /etc/hosts.

    CannotMeasure for a name that is not in there.
    """
    planned: list[Forwarder] = []
    for service in services:
        if not service.is_unix:
            same = sum(other.port == service.port for other in planned)
            name = f"{FORWARDER}-{service.port}" + (f"-{same + 1}" if same else "")
            planned.append(Forwarder(name, addresses_of(service.host, hosts), service.port))
    return planned


def addresses_of(host: str, hosts: str) -> list[str]:
    """The IP addresses of a host that a program finds without asking the network; CannotMeasure if there is none.

    >>> addresses_of("db", "10.0.0.5 db # the database"), addresses_of("localhost", "")
    (['10.0.0.5'], ['127.0.0.1', '::1'])
    """
    if host == "localhost":
        return list(LOCALHOST)
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    lines = (line.partition("#")[0].split() for line in hosts.splitlines())
    addresses = [words[0] for words in lines if host in words[1:]]
    if not addresses:
        raise CannotMeasure(
            f"needs: '{host}' is not in /etc/hosts, and a stack's own network has no name server",
            f"let the app use its address, or write it there: echo '192.0.2.7 {host}' >> /etc/hosts",
        )
    return list(dict.fromkeys(addresses))


def foreign_addresses(planned: Sequence[Forwarder]) -> list[str]:
    """Those of the forwarders' addresses that a new namespace does not have: they are added to its loopback."""
    addresses = dict.fromkeys(address for forwarder in planned for address in forwarder.addresses)
    return [address for address in addresses if not ipaddress.ip_address(address).is_loopback]
