"""Files of several sizes for programs that serve files: made once, in the user's cache; a wheel need not carry them.

Their bytes are alike in all of them and on every machine, so that an answer can be told from another.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

import platformdirs

SIZES = {"1k": 1 << 10, "100k": 100 << 10, "1m": 1 << 20, "10m": 10 << 20}
PERIOD = 251  # a prime: no block of a power of two repeats


@cache
def folder() -> Path:
    """The folder with a file for each of `SIZES`; made whole or not at all where it is not there."""
    place = Path(platformdirs.user_cache_dir("hopcost")) / "files"
    if all(_size(place / name) == size for name, size in SIZES.items()):
        return place
    unfinished = place.with_name(f".files-{os.getpid()}")
    unfinished.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        (unfinished / name).write_bytes((bytes(range(PERIOD)) * (size // PERIOD + 1))[:size])
    shutil.rmtree(place, ignore_errors=True)
    try:
        unfinished.rename(place)
    except OSError:  # another run was faster: what it made is the same
        shutil.rmtree(unfinished, ignore_errors=True)
    return place


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
