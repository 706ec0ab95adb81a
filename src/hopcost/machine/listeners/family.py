"""The processes of a server: those that hold its socket, and all that these started. Their names, counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from hopcost.machine.other_load import ProcessTime

# They hold the sockets of services that they start, and started everything else too.
MANAGERS = frozenset({"systemd", "init", "supervisord", "inetd", "xinetd"})
# They pass connections on into a container; their CPU time is not the app's.
FORWARDERS = frozenset(
    {"docker-proxy", "dockerd", "com.docker.back", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "pasta.avx2"}
)
NAMELESS = frozenset({"MainThread", "node-MainThread"})  # Node renames its main thread


def with_descendants(holders: Collection[int], processes: Sequence[ProcessTime], own: int) -> list[int]:
    """The holders and all their descendants, sorted.

    A manager of services, or this process (`own`), may hold a server's socket too. It counts only if nobody else holds
    it, and without its other children.
    """
    names = {process.pid: process.name for process in processes}
    beside = {pid for pid in holders if pid == own or names.get(pid) in MANAGERS}
    roots = set(holders) - beside
    if not roots:
        return sorted(beside)
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    family: set[int] = set()
    left = list(roots)
    while left:
        pid = left.pop()
        if pid != own and pid not in family:
            family.add(pid)
            left += children.get(pid, [])
    return sorted(family)


def count_names(names: Iterable[str]) -> list[str]:
    """Each name once, in their order.

    >>> count_names(["gunicorn", "gunicorn", "python", "gunicorn"])
    ['gunicorn ×3', 'python']
    """
    return [f"{name} ×{count}" if count > 1 else name for name, count in Counter(names).items()]


def names_of(pids: Iterable[int], processes: Sequence[ProcessTime]) -> list[str]:
    """Their names as `ps` shows them; those that are gone have none."""
    names = {process.pid: process.name for process in processes}
    return [_plain_name(pid, names[pid]) for pid in pids if pid in names]


def _plain_name(pid: int, name: str) -> str:
    """The program's where the name is a thread's."""
    if name not in NAMELESS:
        return name
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
    except OSError:
        return name
    return os.path.basename(os.fsdecode(command)) or name  # noqa: PTH119 - no path of ours


def are_forwarders(names: Iterable[str]) -> bool:
    """Whether one of them passes connections on into a container."""
    return not FORWARDERS.isdisjoint(names)
