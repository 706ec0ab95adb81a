"""What apps in a namespace of their own get of the host: forwarders to services, and word of what they miss."""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from hopcost.errors import ArmFailed, CannotMeasure
from hopcost.machine import binaries
from hopcost.plan.cores import Cores
from hopcost.stacks.app import needs
from hopcost.stacks.app.services import SharedService, find_service, unlike
from hopcost.stacks.sandbox import network
from hopcost.stacks.sandbox.network import Network
from hopcost.stacks.sandbox.refused import RefusedConnections
from hopcost.stacks.sandbox.session import Session, last_lines
from hopcost.suites.arms.app import Service
from hopcost.suites.arms.arm import Arm

HOSTS = Path("/etc/hosts")
READY = "listening"  # the first word of a forwarder's output
READY_S = 10.0
SERVER_ERROR = 500  # and above
PROGRAM = "hopcost-forward"
REQUESTS = "connect.sock"  # in a stack's directory


class Supply:
    """The services that a stack's apps need, and the connections that they tried in vain.

    ArmFailed if a service is not there. On the host's network nothing is forwarded: apps reach everything themselves.
    """

    def __init__(self, name: str, arm: Arm, net: Network) -> None:
        self._arm = name
        self._has_app = any(hop.app is not None for hop in arm.hops)
        services = needs.services_of(arm)
        try:
            self.forwarders = needs.forwarders(services, HOSTS.read_text()) if services and net.own else []
            self._home = network.home()
            self._services = self._home.run(partial(find_services, services)) if self._home else find_services(services)
        except CannotMeasure as error:
            raise ArmFailed(name, error.message, error.hint) from error
        self._watch: RefusedConnections | None = None
        self._requests: socket.socket | None = None
        self._refused: list[tuple[str, int]] = []

    def services(self, hops: Iterable[str]) -> list[SharedService]:
        """The services that are on this machine, named unlike these hops."""
        return unlike([service for service in self._services if service is not None], set(hops))

    @property
    def notes(self) -> list[str]:
        """Whose CPU time is not counted, though an app uses it."""
        known = [service for service in self._services if service is not None]
        notes = [f"not counted: the CPU time of {service.why_unknown}" for service in known if service.why_unknown]
        missing = len(self._services) - len(known)
        return notes + ["not counted: the CPU time of services on other machines"] * (missing > 0)

    @property
    def addresses(self) -> list[str]:
        """What the loopback of the stack's namespace must have besides its own."""
        return needs.foreign_addresses(self.forwarders)

    def enter(self, session: Session, but_ports: Iterable[int]) -> None:
        """Begin to watch for refused connections, but for those that hopcost itself tries."""
        if self._has_app:
            self._watch = RefusedConnections(session.namespace, frozenset(but_ports)).__enter__()

    def start(self, session: Session, cores: Cores, open_files: int) -> dict[str, int]:
        """Start the forwarders: their pids by name. ArmFailed if one does not listen."""
        roots = {}
        for forwarder in self.forwarders:
            command = forwarder.command(str(binaries.require(PROGRAM)), *self._way_to_host(session))
            roots[forwarder.name] = session.start(forwarder.name, command, cores.stack, open_files)
            self._wait_until_ready(session, forwarder.name)
        return roots

    def refused(self) -> list[tuple[str, int]]:
        """Where the apps tried to connect and nobody was, until the watch ended."""
        if self._watch is not None:
            self._refused = self._watch.read()
        return self._refused

    def hint(self) -> str | None:
        """What the apps missed, and how they get it; None if nothing."""
        missed = [f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.refused()]
        if not missed:
            return None
        words, options = ", ".join(f'"{place}"' for place in missed), " ".join(f"--needs {place}" for place in missed)
        return f"the app tried {' and '.join(missed)}: add {options} (in a suite: needs = [{words}])"

    def refuse_error(self, status: int) -> None:
        """End the watch; ArmFailed if the stack answered with a server's error, and an app missed something."""
        self.end_watch()
        if status >= SERVER_ERROR and (hint := self.hint()) is not None:
            raise ArmFailed(self._arm, f"it answers with status {status}", hint)

    def end_watch(self) -> None:
        """No more: each packet on the loopback would pass the watch's filter."""
        self.refused()
        if self._watch is not None:
            self._watch.__exit__(None, None, None)
            self._watch = None

    def close(self) -> None:
        """Nothing more is needed."""
        self.end_watch()
        if self._requests is not None and self._home is not None:
            self._home.end_to_connect(self._requests)
            self._requests = None

    def _way_to_host(self, session: Session) -> tuple[str, str]:
        """An option of the forwarder, and its value: root goes there, others let the thread connect that stayed."""
        if self._home is None:
            assert session.home_namespace is not None, "a namespace of its own was made from another one"
            return "--namespace", session.home_namespace
        path = session.directory / REQUESTS
        if self._requests is None:
            self._requests = self._home.begin_to_connect(path)
        return "--connector", str(path)

    def _wait_until_ready(self, session: Session, name: str) -> None:
        deadline = time.monotonic() + READY_S
        while not last_lines(session.log(name)).startswith(READY):
            if name in session.poll() or time.monotonic() > deadline:
                words = f"{name} does not listen: {last_lines(session.log(name))}"
                raise ArmFailed(self._arm, words, "is what it needs running here?")
            time.sleep(0.002)


def find_services(services: Iterable[Service]) -> list[SharedService | None]:
    """Each service on this machine; None for those on others, which are for the app to find.

    CannotMeasure if nobody serves one that should be here. A port is looked for, not connected to: MySQL bars a host
    after a hundred connections without a login.
    """
    shared_services: list[SharedService | None] = []
    for service in services:
        if service.is_unix and not _is_socket(service.path):
            raise CannotMeasure(f"needs: {service.path} is no socket", "start the service first")
        shared = find_service(service)
        if shared is None and not service.is_unix and _is_here(service.host):
            raise CannotMeasure(f"needs: nobody listens on {service.host}:{service.port}", "start the service first")
        shared_services.append(shared)
    return shared_services


def _is_here(host: str) -> bool:
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 - a path as the user wrote it
    except OSError:
        return False
