"""What must be so on every machine of a fleet before it is used: SSH, the version, the rights; and cleaning up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from hopcost import __version__
from hopcost.errors import CannotMeasure, HopcostError
from hopcost.measure.fleet.ssh.connection import Connection
from hopcost.measure.sites.hosts_file import Fleet, Host

T = TypeVar("T")

# $1: the command `hopcost` there.
VERSION = 'PATH="$PATH:$HOME/.local/bin"; exec "$1" --version'
CLEAN = 'PATH="$PATH:$HOME/.local/bin"; exec "$1" doctor --clean'
# Prints what the user may do there, as `key: value` lines.
RIGHTS = """
echo "user: $(id -un)"
echo "root: $([ "$(id -u)" = 0 ] && echo yes)"
unshare --user --map-current-user --keep-caps --net true 2>/dev/null && echo "namespaces: yes"
own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
[ -w "$own/cgroup.procs" ] && [ -e "$own/cgroup.freeze" -o -e /sys/fs/cgroup/cgroup.controllers ] && echo "cgroups: yes"
[ -w /sys/fs/cgroup/freezer ] && echo "cgroups: yes"
chrt -f 1 true 2>/dev/null && echo "fifo: yes"
exit 0
"""
AT_A_TIME = 16  # connections that are being made


class Rights(msgspec.Struct, frozen=True):
    """What the user may do on a stacks' machine."""

    user: str
    is_root: bool
    namespaces: bool
    cgroups: bool
    fifo: bool

    def lost(self, *, alone: bool) -> list[str]:
        """What is lost without the rights that are missing; a site with a generator's machine needs no namespaces."""
        words = []
        if alone and not (self.is_root or self.namespaces):
            words.append(
                "network namespaces (root, or unprivileged user namespaces): without them stacks share the machine's"
                " loopback; arms with sysctls of net.* or a link are left out"
            )
        if not self.cgroups:
            words.append(
                "a cgroup of its own (root, or a delegated one: systemd-run --user --scope -p Delegate=yes): without it"
                " stacks are frozen by signals, which programs that fork can outrun, and their CPU time is read by"
                " process"
            )
        if not alone and not self.fifo:
            words.append(
                "SCHED_FIFO (root, or CAP_SYS_NICE): without it the edges of slices are late by milliseconds where the"
                " stacks fill every core; their length is measured all the same"
            )
        return words


class Reached(msgspec.Struct, frozen=True):
    """A machine that was logged in to; `local_address` is this machine's on the connection."""

    host: Host
    local_address: str
    rights: Rights


def reach(fleet: Fleet) -> list[Reached]:
    """Every machine. CannotMeasure if one cannot be reached, or the stacks' one has another version of hopcost."""
    stacks = {site.stack.name for site in fleet.sites}
    return _on_each(fleet, fleet.hosts, lambda host, connection: _look(host, connection, host.name in stacks))


def clean(fleet: Fleet) -> dict[str, str]:
    """What `hopcost doctor --clean` says on each stacks' machine."""

    def run(host: Host, connection: Connection) -> tuple[str, str]:
        done = connection.run(CLEAN, host.hopcost)
        return host.name, (done.output + done.errors).strip()

    return dict(_on_each(fleet, [site.stack for site in fleet.sites], run))


def controller_address(fleet: Fleet, reached: Sequence[Reached]) -> str:
    """Where the sites reach this machine: as hosts.toml says, or as their SSH servers see it."""
    if fleet.controller is not None:
        return fleet.controller
    stacks = {site.stack.name for site in fleet.sites}
    addresses = sorted({machine.local_address for machine in reached if machine.host.name in stacks})
    if len(addresses) > 1:
        raise CannotMeasure(
            f"the sites reach this machine at different addresses: {', '.join(addresses)}",
            "name the one that all of them reach: controller = in hosts.toml",
        )
    return addresses[0]


def why_trusted(fleet: Fleet) -> str:
    """What whoever makes a fleet must know."""
    names = ", ".join(site.name for site in fleet.sites)
    words = (
        "whoever owns one of the stacks' machines can run code on all the others while a run lasts, as the user that"
        f" logs in there: {names}. Dask knows no roles. Use machines that you trust alike."
    )
    if not any(site.generators for site in fleet.sites):
        return words
    return f"{words} Your SSH agent is forwarded to them: meanwhile they can log in wherever it lets you."


def parse_rights(text: str) -> Rights:
    """From the lines of RIGHTS."""
    values = {key: value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    return Rights(
        user=values.get("user", ""),
        is_root=values.get("root") == "yes",
        namespaces=values.get("namespaces") == "yes",
        cgroups=values.get("cgroups") == "yes",
        fifo=values.get("fifo") == "yes",
    )


def require_version(where: str, command: str, output: str) -> None:
    """CannotMeasure unless this is what the same version of hopcost prints."""
    version = output.split()[-1] if output.split() else None
    if version != __version__:
        raise CannotMeasure(
            f"{where}: it has {'hopcost ' + version if version else 'no hopcost'}, this machine {__version__}",
            f"install hopcost {__version__} with its extra fleet there, or say where it is: hopcost = in hosts.toml"
            f" (now: {command})",
        )


def _look(host: Host, connection: Connection, has_stacks: bool) -> Reached:
    if has_stacks:
        require_version(host.name, host.hopcost, connection.run(VERSION, host.hopcost).output)
    return Reached(host, connection.local_address, parse_rights(connection.run(RIGHTS).output))


def _on_each(fleet: Fleet, hosts: Sequence[Host], work: Callable[[Host, Connection], T]) -> list[T]:
    """Many at a time; the first that fails is told, with how many others."""

    def connect(host: Host) -> T | HopcostError:
        try:
            connection = Connection(host.name, host.login, fleet.access)
        except HopcostError as error:
            return error
        try:
            return work(host, connection)
        except HopcostError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        results = list(pool.map(connect, hosts))
    failed = [result for result in results if isinstance(result, HopcostError)]
    if failed:
        message = "; ".join(error.message for error in failed)
        raise CannotMeasure(message, failed[0].hint)
    return [result for result in results if not isinstance(result, HopcostError)]
