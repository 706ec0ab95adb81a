"""The text of small kernel files, such as those of /proc and /sys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

VERSION_2 = ""  # in place of a controller's name: the hierarchy that has all of them


def read_text(path: str | Path) -> str | None:
    """The file's text without spaces around it; None if it cannot be read."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def line_of(path: str, key: str) -> str | None:
    """The value of the first line `key: value`; None if the file has no such line."""
    for line in (read_text(path) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None


class CgroupMount(NamedTuple):
    """A mounted hierarchy of cgroups: version 1 names its controllers, for version 2 they are `{VERSION_2}`."""

    folder: Path
    controllers: set[str]


def cgroup_mounts(text: str) -> list[CgroupMount]:
    """The hierarchies in the text of /proc/mounts.

    >>> cgroup_mounts("proc /proc proc rw 0 0\\ncgroup2 /cgroup cgroup2 rw 0 0\\n")
    [CgroupMount(folder=PosixPath('/cgroup'), controllers={''})]
    """
    lines = [line.split() for line in text.splitlines()]
    return [
        CgroupMount(Path(words[1]), {VERSION_2} if words[2] == "cgroup2" else set(words[3].split(",")))
        for words in lines
        if len(words) >= 4 and words[2] in ("cgroup", "cgroup2")
    ]


class OwnCgroup(NamedTuple):
    """A process's cgroup, and the root of its hierarchy."""

    root: Path
    folder: Path


def own_cgroups(mounts: str, own: str, controller: str) -> Iterator[OwnCgroup]:
    """This process's cgroup in each hierarchy of the controller, from the texts of /proc/mounts and /proc/self/cgroup.

    >>> mounts = "cgroup2 /cgroup cgroup2 rw 0 0"
    >>> [str(cgroup.folder) for cgroup in own_cgroups(mounts, "0::/user/shell", VERSION_2)]
    ['/cgroup/user/shell']
    """
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "?", "")
        if controller in controllers.split(","):
            for mount in cgroup_mounts(mounts):
                if controller in mount.controllers:
                    yield OwnCgroup(mount.folder, mount.folder / path.lstrip("/"))
