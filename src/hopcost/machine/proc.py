"""Small text files of the kernel, such as those of /proc and /sys: None if one cannot be read."""

from __future__ import annotations

from pathlib import Path


def line_of(path: str, key: str) -> str | None:
    for line in (read_text(path) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None


def read_text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
