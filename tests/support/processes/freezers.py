"""The means to freeze that this machine has, and what harnesses left behind."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from hopcost.stacks.sandbox.cgroups import Freezer, find_freezer
from hopcost.stacks.sandbox.leftovers import DIRECTORY_PREFIX

MOUNTS = Path("/proc/mounts")


def freezers() -> list[Freezer]:
    """Every means to freeze that can be had here, each once: all of them must hold the same promises."""
    folders = {}
    mounts = MOUNTS.read_text().splitlines()
    for without in ((), ("cgroup2",), ("cgroup2", "cgroup")):
        text = "\n".join(line for line in mounts if line.split()[2] not in without)
        freezer = find_freezer(mounts=text)
        folders[freezer.kind] = freezer
    return list(folders.values())


def mounts(v2: Path | None = None, v1: Path | None = None) -> str:
    """/proc/mounts, with decoys that hold no freezer."""
    lines = ["proc /proc proc rw,nosuid 0 0", "cgroup /sys/fs/cgroup/cpu cgroup rw,nosuid,cpu,cpuacct 0 0", "broken"]
    lines += [f"cgroup {v1} cgroup rw,nosuid,freezer 0 0"] if v1 else []
    lines += [f"cgroup2 {v2} cgroup2 rw,nosuid 0 0"] if v2 else []
    return "\n".join(lines) + "\n"


def leavings(folder: Path) -> list[str]:
    """hopcost's directories under this folder, and cgroups of this process or of harnesses that are no more."""
    left = [str(path) for path in folder.glob(f"{DIRECTORY_PREFIX}*")]
    for freezer in freezers():
        if freezer.parent is not None:
            for path in Path(freezer.parent).glob("hopcost-*"):
                owner = int(path.name.split("-")[1])
                if owner == os.getpid() or not psutil.pid_exists(owner):
                    left.append(str(path))
    return left
