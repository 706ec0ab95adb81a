"""Who listens on an address of this machine: processes, names, cgroup. Read only."""

from __future__ import annotations

from hopcost.machine.listeners.cgroups import cgroup_of
from hopcost.machine.listeners.listener import (
    Listener,
    find_listener,
    find_unix_listener,
    listeners,
    listeners_of,
)

__all__ = ["Listener", "cgroup_of", "find_listener", "find_unix_listener", "listeners", "listeners_of"]
