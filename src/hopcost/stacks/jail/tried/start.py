"""One start of an nginx with a configuration in a jail of its own, to see whether it runs and answers."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hopcost.nginx.read import ConfigurationText
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.stacks.client.connection import NO_ANSWER, Connection
from hopcost.stacks.jail.made.contents import Contents
from hopcost.stacks.jail.made.script import jail_command, jail_script
from hopcost.stacks.jail.version import NginxVersion
from hopcost.stacks.sandbox import namespaces
from hopcost.stacks.sandbox.ports import open_files
from hopcost.stacks.sandbox.session import Net, Session, last_lines
from hopcost.suites.arms.arm import Link

NAME = "nginx"
READY_S, ASK_S, LOOK_S = 15.0, 0.5, 0.01
LINES = 60
UNPRIVILEGED_PORTS = {"net.ipv4.ip_unprivileged_port_start": 0}  # in a namespace of ours


class Tried(msgspec.Struct, frozen=True):
    """What nginx said until it was stopped, and whether it ran and took a connection."""

    output: str
    runs: bool


def nginx_command(nginx: NginxVersion, text: ConfigurationText) -> list[str]:
    """The command line inside of the jail."""
    return [nginx.path, "-c", text.main, "-g", "daemon off;"]


def jail_net(addresses: Sequence[str]) -> Net:
    """The network of a jail: low ports are for everybody, and the loopback has these addresses too."""
    return Net(sysctls={} if os.geteuid() == 0 else dict(UNPRIVILEGED_PORTS), addresses=list(addresses))


class Attempt(msgspec.Struct, frozen=True):
    """One start: what must lie in the stack's folder, the script that becomes nginx, and the port of the site."""

    contents: Contents
    script: str
    is_jailed: bool
    port: int


def attempt_in_jail(directory: Path, contents: Contents, command: Sequence[str], port: int) -> Attempt:
    """A start in a jail."""
    return Attempt(contents, jail_script(NAME, directory, contents.items, command, []), is_jailed=True, port=port)


def try_once(make: Callable[[Path], Attempt], net: Net | None, host: str) -> Tried:
    """Start nginx, connect to it, ask for `/` if it speaks plain HTTP, and stop it. `make` gets the stack's folder."""
    session = Session(net=net)
    try:
        attempt = make(session.directory)
        put_files(session, attempt.contents)
        script = session.put(f"{NAME}-jail.sh", attempt.script)
        command = jail_command(script) if attempt.is_jailed else ["sh", str(script)]
        session.start(NAME, command, sorted(os.sched_getaffinity(0)), open_files(None))
        runs = _wait_until_it_listens(session, attempt.port)
        if runs:
            _ask(session, attempt.port, host)
        runs = runs and NAME not in session.poll()
        return Tried(last_lines(session.log(NAME), LINES), runs)
    finally:
        session.kill()


def put_files(session: Session, contents: Contents) -> None:
    """The files that the jail takes from the stack's folder."""
    for name, text in contents.files.items():
        (session.directory / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    for name, content in contents.made.items():
        (session.directory / name).write_bytes(content)


def _wait_until_it_listens(session: Session, port: int) -> bool:
    """Whether it took a connection before it ended."""
    deadline = time.monotonic() + READY_S
    address = Address(Link.HTTP_TCP.value, f"{LOOPBACK}:{port}")
    while NAME not in session.poll() and time.monotonic() < deadline:
        with namespaces.inside(session.namespace), contextlib.suppress(OSError):
            address.connect(ASK_S).close()
            return True
        time.sleep(LOOK_S)
    return False


def _ask(session: Session, port: int, host: str) -> None:
    """One request: a worker that dies of it says so in the log. Over TLS it is refused with 400, which is enough."""
    address = Address(Link.HTTP_TCP.value, f"{LOOPBACK}:{port}")
    with (
        namespaces.inside(session.namespace),
        contextlib.suppress(*NO_ANSWER),
        Connection(address, ASK_S) as connection,
    ):
        connection.ask("/", [("Host", host)])
