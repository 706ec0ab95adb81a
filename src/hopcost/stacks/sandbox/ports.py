"""Ports for hops to listen on, outside the ports that clients get; and how many files a stack may open."""

from __future__ import annotations

import itertools
import os
import resource
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from hopcost.errors import CannotMeasure
from hopcost.plan.method import METHOD
from hopcost.stacks.sandbox import namespaces
from hopcost.suites.arms.arm import Arm

CLIENT_PORTS_OF_A_NAMESPACE = (32_768, 60_999)  # in a new one
FIRST_PORT_OF_A_NAMESPACE = 2_000  # lower: an arm may leave its clients 8192 and all above
OPEN_FILES_WITHOUT_LIMIT = 1 << 20  # the kernel's own default of fs.nr_open


def port_is_free(port: int, address: str = "127.0.0.1") -> bool:
    """Whether servers could listen on this port of the loopback address, and of another address, now."""
    return all(_can_bind(own, port) for own in {"127.0.0.1", address})


def _can_bind(address: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def client_ports(namespace: str | None = None) -> tuple[int, int]:
    """The first and the last port that clients in the namespace of this file get; None is this process's own."""
    with namespaces.inside(namespace):
        low, high = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    return int(low), int(high)


class Ports:
    """Free ports of the loopback address outside the range of `clients`, so that no client's port takes one."""

    def __init__(self, clients: tuple[int, int] | None = None, is_free: Callable[[int], bool] = port_is_free) -> None:
        low, high = clients or client_ports()
        usable = [port for port in range(METHOD.first_port, METHOD.last_port) if not low <= port <= high]
        if not usable:
            raise CannotMeasure(
                f"no ports between {METHOD.first_port} and {METHOD.last_port} lie outside ip_local_port_range"
                f" ({low} to {high})",
                "sysctl net.ipv4.ip_local_port_range='32768 60999'",
            )
        first = os.getpid() * 64 % len(usable)  # two runs at once begin in different places
        self._number = len(usable)
        self._candidates: Iterator[int] = itertools.cycle([*usable[first:], *usable[:first]])
        self._is_free = is_free

    def take(self) -> int:
        """The next free port; a long run comes round to the first ones again."""
        for port in itertools.islice(self._candidates, self._number):
            if self._is_free(port):
                return port
        raise CannotMeasure("no free port is left", "ss -ltn lists who listens")

    def claim(self, port: int, where: str) -> int:
        """The port that the suite asks for; CannotMeasure if it is taken."""
        if not self._is_free(port):
            raise CannotMeasure(
                f"{where}: port {port} is taken",
                f"see who has it: ss -ltnp 'sport = :{port}'; or leave `port` out and hopcost takes a free one",
            )
        return port


class NamespacePorts(Ports):
    """Ports of a stack's own network namespace: all are free but those in the range of its `clients`."""

    def __init__(self, clients: tuple[int, int] = CLIENT_PORTS_OF_A_NAMESPACE) -> None:
        low, high = clients
        self._candidates = iter(
            [port for port in range(FIRST_PORT_OF_A_NAMESPACE, METHOD.last_port) if not low <= port <= high]
        )

    def take(self) -> int:
        """The next port."""
        for port in self._candidates:
            return port
        raise CannotMeasure(
            f"no ports between {FIRST_PORT_OF_A_NAMESPACE} and {METHOD.last_port} lie outside ip_local_port_range",
            'leave some to servers in the arm\'s sysctls: "net.ipv4.ip_local_port_range" = "8192 65535"',
        )

    def claim(self, port: int, where: str) -> int:  # noqa: ARG002 - as for the host's
        """The port that the suite asks for; no other server is in the namespace."""
        return port


def refuse_the_same_port(arms: Iterable[tuple[str, Arm]]) -> None:
    """CannotMeasure if two arms want the same port of the host's loopback, on which all of them are alive at once."""
    takers: dict[int, str] = {}
    for name, arm in arms:
        for port in {hop.fixed_port for hop in arm.hops if hop.fixed_port is not None}:
            if port in takers:
                raise CannotMeasure(
                    f"stacks {takers[port]} and {name} both ask for port {port}, and they run at the same time",
                    "with network namespaces (root, or user namespaces) they may; here leave `port` out, and let an"
                    " app of yours take its port from PORT or {port}",
                )
            takers[port] = name


def open_files(wanted: int | None) -> int:
    """The limit of open files of a stack's programs: what the arm asks for, at most the hard limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = OPEN_FILES_WITHOUT_LIMIT
    return hard if wanted is None else min(wanted, hard)


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to the hard one, and return it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard if hard != resource.RLIM_INFINITY else sys.maxsize
