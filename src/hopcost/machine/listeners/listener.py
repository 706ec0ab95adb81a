"""Who listens: sockets that share an address, their processes with names, and the cgroup of their creator.

File descriptors of other users' processes cannot be read without root. The names are then those of the cgroup's
processes, if the socket's creator has a cgroup of its own (a service, a container).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.machine.listeners import family, kernel, serving
from hopcost.machine.listeners.cgroups import countable_cgroup, pids_below
from hopcost.machine.listeners.holders import find_holders, sockets_of, union
from hopcost.machine.listeners.listening import ListeningSocket, SocketFile, words_of_path
from hopcost.machine.other_load import ProcessTime, processes


class Listener(msgspec.Struct, frozen=True):
    """Who listens on an address.

    `inodes` has several sockets if they share it (SO_REUSEPORT). `pids` are all holders with their descendants; empty
    if they cannot be read. `cgroup` is that of the socket's creator, None unless its CPU time is the server's alone.
    `is_docker_proxy`: it passes connections on into a container; its CPU time is not the app's. `uid`: None if this
    kernel does not tell.
    """

    address: str
    inodes: list[int]
    pids: list[int]
    names: list[str]
    cgroup: str | None
    uid: int | None
    is_docker_proxy: bool


def listeners(namespace: str | None = None) -> list[Listener]:
    """All that listen in the network namespace of this file (None: this process's own), TCP before Unix sockets.

    CannotMeasure if the kernel does not tell.
    """
    return _describe(_listening_sockets(namespace))


def find_listener(host: str, port: int) -> Listener | None:
    """Who serves this address here; None: nobody (it is remote, forwarded by the firewall, or unknown).

    A name with several addresses is tried in their order: `localhost` may be 127.0.0.1 or ::1.
    """
    addresses = serving.resolve(host)
    sockets = _listening_sockets(None) if addresses else []
    own = serving.own_addresses() if addresses else set()
    for ip in addresses:
        answering = serving.find_serving(sockets, ip, port, own)
        if answering:
            return _describe(answering)[0]
    return None


def find_unix_listener(path: str) -> Listener | None:
    """Who listens on this socket file, or on this name without a file (`@name`); None: nobody here."""
    wanted = words_of_path(f"\0{path[1:]}" if path.startswith("@") else path)
    file = _file_of(path)
    listening = [listener for listener in _listening_sockets(None) if _is_unix(listener, wanted, file)]
    return _describe(listening)[0] if listening else None


def listeners_of(pids: Collection[int], namespace: str | None = None) -> list[Listener]:
    """Where these processes and their descendants listen."""
    mine = family.with_descendants(pids, processes(), os.getpid())
    inodes = {inode for pid in mine for inode in sockets_of(pid)}
    return _describe([listener for listener in _listening_sockets(namespace) if listener.inode in inodes])


def _listening_sockets(namespace: str | None) -> list[ListeningSocket]:
    try:
        return kernel.listening_sockets(namespace)
    except OSError as error:
        raise CannotMeasure(
            f"the kernel does not tell who listens: {error}", "name the processes yourself: --pid or --cgroup"
        ) from error


def _is_unix(listener: ListeningSocket, address: str, file: SocketFile | None) -> bool:
    """Whether it listens on this file: by the file, since its name is as the server wrote it, relative or not."""
    if listener.tcp is not None:
        return False
    return listener.address == address if listener.file is None or file is None else listener.file == file


def _file_of(path: str) -> SocketFile | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return SocketFile(status.st_dev, status.st_ino)


class _Surroundings(msgspec.Struct, frozen=True):
    """What describing needs of the machine, read once for all listeners."""

    holders: dict[int, set[int]]
    running: list[ProcessTime]
    cgroups: dict[int | None, Path | None]


def _describe(sockets: Sequence[ListeningSocket]) -> list[Listener]:
    """One listener for each address."""
    if not sockets:
        return []
    surroundings = _Surroundings(
        holders=find_holders([listener.inode for listener in sockets]),
        running=processes(),
        cgroups={number: countable_cgroup(number, os.getpid()) for number in {socket.cgroup_id for socket in sockets}},
    )
    groups: dict[str, list[ListeningSocket]] = {}
    for listener in sockets:
        groups.setdefault(listener.address, []).append(listener)
    return [_describe_group(address, group, surroundings) for address, group in groups.items()]


def _describe_group(address: str, group: Sequence[ListeningSocket], surroundings: _Surroundings) -> Listener:
    inodes = sorted(listener.inode for listener in group)
    pids = family.with_descendants(union(surroundings.holders, inodes), surroundings.running, os.getpid())
    ids = {listener.cgroup_id for listener in group}
    cgroup = surroundings.cgroups[ids.pop()] if len(ids) == 1 else None
    seen = pids or ([] if cgroup is None else sorted(pids_below(cgroup)))
    names = family.names_of(seen, surroundings.running)
    return Listener(
        address=address,
        inodes=inodes,
        pids=pids,
        names=family.count_names(names),
        cgroup=None if cgroup is None else str(cgroup),
        uid=group[0].uid,
        is_docker_proxy=family.are_forwarders(names),
    )
