"""What is there of a run, by kind."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil

from hopcost.machine.traces import command_line, held_namespaces, virtual_cards
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.processes import MARK

KINDS = ("processes", "namespaces", "veths", "cgroups", "socket files", "directories")


def look(owner: str, temporary: Path, family: set[int], namespaces: set[str], veths: set[str]) -> dict[str, list[str]]:
    """What is there of this run, by kind; empty when nothing is."""
    alive = [f"{pid} {command_line(pid)}" for pid in family if leftovers.is_alive(pid) and is_of(pid, owner, temporary)]
    files = list(temporary.rglob("*"))
    left = {
        "processes": alive,
        "namespaces": sorted(namespaces & {name for pid in psutil.pids() for name in held_namespaces(pid)}),
        "veths": sorted(virtual_cards() - veths),
        "cgroups": [str(path) for path in leftovers.find_cgroups() if owner in path.name],
        "socket files": [str(path) for path in files if path.is_socket()],
        "directories": [str(path) for path in files if path.is_dir() and path.name.startswith("hopcost-")],
    }
    return {kind: names for kind, names in left.items() if names}


def is_of(pid: int, owner: str, temporary: Path) -> bool:
    """Whether a pid seen in the run's family still is what it was: pids come again."""
    with contextlib.suppress(OSError):
        environment = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
        standing = str(Path(f"/proc/{pid}/cwd").readlink())
        return str(temporary) in environment or owner in standing or MARK in environment
    return False


def others_namespaces(family: set[int]) -> set[str]:
    """Network namespaces that these processes hold and this one does not."""
    return {name for pid in family for name in held_namespaces(pid)} - {*held_namespaces(os.getpid())}
