"""The services that apps use, as processes of this machine: whose CPU time is the app's doing too.

They are shared by all stacks and never frozen. One that is counted is a hop of each stack that uses it.
"""

from __future__ import annotations

import re

import msgspec

from hopcost.machine.listeners import Listener, find_listener, find_unix_listener
from hopcost.suites.arms.app import Service


class SharedService(msgspec.Struct, frozen=True):
    """A service with its processes here, and where its CPU time is read: their clocks, or a cgroup.

    `why_unknown` if it cannot be: then it is no hop.
    """

    name: str
    pids: list[int]
    account: str | None = None
    why_unknown: str | None = None


def find_service(service: Service) -> SharedService | None:
    """The service on this machine; None if nobody serves it here.

    Processes that come and go are counted by a cgroup of their own, as systemd's services have; one process by its
    clock. The processes of PostgreSQL come with connections: without a cgroup their CPU time is unknown.
    """
    listener = find_unix_listener(service.path) if service.is_unix else find_listener(service.host, service.port)
    return None if listener is None else _shared(service, listener)


def _shared(service: Service, listener: Listener) -> SharedService:
    place = service.path if service.is_unix else f"{service.host}:{service.port}"
    names = [re.sub(r" ×\d+$", "", name) for name in listener.names]
    name = re.sub(r"[^A-Za-z0-9._-]", "-", names[0]) if names else "service"
    if listener.is_docker_proxy:
        return SharedService(name, listener.pids, None, f"what is behind {place}: it is in a container")
    if listener.cgroup is not None:
        return SharedService(name, listener.pids, listener.cgroup)
    if len(listener.pids) == 1:
        return SharedService(name, listener.pids)
    if not listener.pids:
        return SharedService(name, [], None, f"what is behind {place}: this user cannot see its processes")
    why = f"{' and '.join(listener.names)} behind {place}: they come and go, without a cgroup of their own"
    return SharedService(name, listener.pids, None, why)


def unlike(services: list[SharedService], taken: set[str]) -> list[SharedService]:
    """The same with names that no hop has, and no two of them."""
    named: list[SharedService] = []
    for service in services:
        name, number = service.name, 2
        while name in taken:
            name, number = f"{service.name}-{number}", number + 1
        taken.add(name)
        named.append(msgspec.structs.replace(service, name=name))
    return named
