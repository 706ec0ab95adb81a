"""The processes of a running server: those that it had when the run began, what they started since, what listens now.

Who listens on an address is found by `machine/listeners`; this file follows it from batch to batch.
"""

from __future__ import annotations

import re
from pathlib import Path

import psutil

from hopcost.machine.listeners import Listener, find_listener, find_unix_listener
from hopcost.machine.listeners.cgroups import pids_below
from hopcost.stacks.sandbox import processes as sandbox
from hopcost.stacks.sandbox import session
from hopcost.suites.arms.server import RunningServer, ServerHop

TIMES = re.compile(r" ×\d+$")  # behind the name of several processes


def listener_of(server: RunningServer) -> Listener | None:
    """Who serves the server's address on this machine; None: nobody, it runs elsewhere."""
    if server.is_unix:
        return find_unix_listener(server.address)
    host, _, port = server.address.rpartition(":")
    return find_listener(host.strip("[]"), int(port))


def hop_name(listener: Listener) -> str:
    """The name of the listener's processes: that of the first of them if they have several."""
    return TIMES.sub("", listener.names[0]) if listener.names else "server"


def own_cgroup(listener: Listener) -> str | None:
    """The listener's cgroup if it holds the listener's processes alone; any that counts, if those cannot be seen."""
    if listener.cgroup is None or not listener.pids:
        return listener.cgroup
    members = set(pids_below(Path(listener.cgroup)))
    return listener.cgroup if members and members <= set(listener.pids) else None


def present_pids(server: RunningServer, hop: ServerHop) -> list[int]:
    """The hop's living processes: as the run found them, with what they started, and whoever listens there now."""
    known = [*hop.pids]
    if hop.cgroup is not None:
        known += sorted(pids_below(Path(hop.cgroup)))
    elif hop.listens and (listener := listener_of(server)) is not None:
        known += listener.pids
    trees = [pid for known_pid in dict.fromkeys(known) for pid in session.process_tree(known_pid)]
    return [pid for pid in dict.fromkeys(trees) if _is_running(pid)]


def members_of(hop: ServerHop) -> set[int]:
    """Whose CPU time counts for the hop: its processes with what they started, and those of its cgroup."""
    members = {pid for known in hop.pids for pid in session.process_tree(known)}
    return members if hop.cgroup is None else members | set(pids_below(Path(hop.cgroup)))


def name_of(pid: int) -> str | None:
    """The process's name as the kernel has it; None if there is no such process."""
    try:
        return str(psutil.Process(pid).name())
    except psutil.NoSuchProcess:
        return None


def _is_running(pid: int) -> bool:
    try:
        return sandbox.stat_fields(pid)[0] not in "ZX"
    except OSError:
        return False
