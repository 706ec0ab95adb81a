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
    holders = [pid for pid in psutil.pids() if pid in family or names_run(pid, owner, temporary)]
    left = {
        "processes": alive,
        "namespaces": sorted(namespaces & {name for pid in holders for name in held_namespaces(pid)}),
        "veths": sorted(virtual_cards() - veths),
        "cgroups": [str(path) for path in leftovers.find_cgroups() if owner in path.name],
        "socket files": [str(path) for path in files if path.is_socket()],
        "directories": [str(path) for path in files if path.is_dir() and path.name.startswith("hopcost-")],
    }
    return {kind: names for kind, names in left.items() if names}


def is_of(pid: int, owner: str, temporary: Path) -> bool:
    """Whether a pid seen in the run's family still is what it was: pids come again."""
    with contextlib.suppress(OSError):
        return names_run(pid, owner, temporary) or MARK in environment(pid)
    return False


def names_run(pid: int, owner: str, temporary: Path) -> bool:
    """Whether a process says itself that it is this run's. Numbers of namespaces come again at once, for anybody's."""
    with contextlib.suppress(OSError):
        return str(temporary) in environment(pid) or owner in str(Path(f"/proc/{pid}/cwd").readlink())
    return False


def environment(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")


def others_namespaces(family: set[int]) -> set[str]:
    """Network namespaces that these processes hold and this one does not."""
    return {name for pid in family for name in held_namespaces(pid)} - {*held_namespaces(os.getpid())}
