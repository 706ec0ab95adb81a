"""What a program has on this machine, read only: its words, descendants, network namespaces and cards, folders."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

CARDS = ("veth", "link")  # how the names of virtual cards begin


def command_line(pid: int) -> str:
    """A process's words; empty when it is gone or may not be read."""
    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return ""


def descendants(pid: int) -> set[int]:
    """All processes below it; none when it is gone."""
    try:
        return {child.pid for child in psutil.Process(pid).children(recursive=True)}
    except psutil.NoSuchProcess:
        return set()


def held_namespaces(pid: int) -> Iterator[str]:
    """Network namespaces that a process is in, or holds open, as the kernel names them: `net:[4026531840]`."""
    with contextlib.suppress(OSError):
        yield str(Path(f"/proc/{pid}/ns/net").readlink())
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                target = str(entry.readlink())
                if target.startswith("net:"):
                    yield target


def virtual_cards() -> set[str]:
    """Virtual network cards in this process's namespace."""
    return {path.name for path in Path("/sys/class/net").iterdir() if path.name.startswith(CARDS)}


def size_bytes(place: Path) -> int:
    """What a file, or a folder with all below it, takes; symbolic links are not followed."""
    if not place.is_dir() or place.is_symlink():
        return _file_bytes(place)
    return sum(_file_bytes(Path(folder, name)) for folder, _, names in os.walk(place) for name in names)


def _file_bytes(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
