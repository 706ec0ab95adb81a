"""Where an app listens beside where it was told to: what it says about itself is not believed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from hopcost.errors import ArmFailed
from hopcost.stacks.app.command import told_by
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.suites.arms.app import UNIX, App

ANY, ANY_6, LOOPBACK_6, MAPPED = "0.0.0.0", "::", "::1", "::ffff:"


class ListensElsewhere(ArmFailed):
    """An app that does not listen where it was told. `ports` are the TCP ports where it does."""

    def __init__(self, arm: str, message: str, hint: str | None, ports: list[int]) -> None:
        super().__init__(arm, message, hint)
        self.ports = ports


def ways_in(told: Address, listening: Sequence[str]) -> list[Address]:
    """The addresses at which an app that listens there may be reached as it was told, the told one first.

    None if it listens elsewhere. `localhost` may mean IPv6 to it: then that is the way.
    """
    if told.is_unix:
        return [told] if UNIX + told.address in listening else []
    hosts = {host for host, port in map(_parts, _tcp(listening)) if port == told.port}
    ways = [told] if hosts & {told.host, ANY, ANY_6} else []
    if told.host == LOOPBACK and hosts & {LOOPBACK_6, ANY_6}:
        ways.append(msgspec.structs.replace(told, address=f"[{LOOPBACK_6}]:{told.port}"))
    return ways


def elsewhere(told: Address, listening: Sequence[str]) -> list[str]:
    """Where it could be reached if not as it was told; none if it can be.

    TCP alone: Unix sockets of other names are for an app's own processes.
    """
    return [] if ways_in(told, listening) else sorted(_tcp(listening))


def describe_elsewhere(arm: str, name: str, app: App, told: Address, places: Sequence[str]) -> ListensElsewhere:
    """The error for an app that listens at these places and not where it was told."""
    ports = sorted({_parts(place)[1] for place in places})
    message = (
        f"{name} was told to listen on {told.address} ({told_by(app, told)}) and listens on {' and '.join(places)}"
    )
    if told.is_unix:
        hint = f"{{socket}} in its command or environment is the path; if it takes none: {_tcp_link(told)}"
    elif ports == [told.port]:
        hint = f"{{host}} in its command or environment is {told.host}; 0.0.0.0 will do too"
    elif len(ports) == 1:
        hint = f"if it takes no port: port = {ports[0]} in [apps.{name}]; else {{port}} in its command or environment"
    else:
        hint = f"choose one: port = {' or '.join(map(str, ports))} in [apps.{name}]"
    return ListensElsewhere(arm, message, hint, ports)


def _tcp_link(told: Address) -> str:
    return f'link = "{told.wire}+tcp"'


def _tcp(listening: Iterable[str]) -> list[str]:
    return [address for address in listening if not address.startswith(UNIX)]


def _parts(address: str) -> tuple[str, int]:
    """`[::ffff:127.0.0.1]:80` → 127.0.0.1 and 80.

    >>> _parts("[::1]:3000"), _parts("[::ffff:127.0.0.1]:80")
    (('::1', 3000), ('127.0.0.1', 80))
    """
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]").removeprefix(MAPPED), int(port)
