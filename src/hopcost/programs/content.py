"""Files of several sizes for programs that serve files: made once, in the user's cache; a wheel need not carry them.

Their bytes are the same on every machine.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

import msgspec
import platformdirs

from hopcost.errors import CannotMeasure

SIZES = {"1k": 1 << 10, "10k": 10 << 10, "100k": 100 << 10, "1m": 1 << 20, "10m": 10 << 20}
PERIOD = 251  # a prime: no block of a power of two repeats


@cache
def large_files_folder() -> Path:
    """The folder with a file for each of `SIZES`, in the user's cache; CannotMeasure if it cannot be made there."""
    return large_file(Path(platformdirs.user_cache_dir("hopcost")) / "files")


def large_file(place: Path) -> Path:
    """The folder, made if it is not there: whole or not at all."""
    if _is_whole(place):
        return place
    unfinished = place.with_name(f".files-{os.getpid()}")
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
        for name, size in SIZES.items():
            (unfinished / name).write_bytes((bytes(range(PERIOD)) * (size // PERIOD + 1))[:size])
        shutil.rmtree(place, ignore_errors=True)
        unfinished.rename(place)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not _is_whole(place):  # else another run was faster, and made the same
            hint = "XDG_CACHE_HOME names another folder for caches"
            raise CannotMeasure(
                f"files to be served cannot be made: {error.filename}: {error.strerror}", hint
            ) from error
    return place


def _is_whole(place: Path) -> bool:
    return all((place / name).is_file() and (place / name).stat().st_size == size for name, size in SIZES.items())


CONTENT = Path(__file__).parent / "served"


class Route(msgspec.Struct, frozen=True):
    """A path, the file that it is answered with, and the media type. Any other path is answered with 404."""

    path: str
    file: str
    media_type: str

    @property
    def body(self) -> str:
        """The answer's body: ASCII text without `'`, `$` and backslashes, which stands in quotes in configurations."""
        return (CONTENT / self.file).read_text(encoding="ascii")


ROUTES = [
    Route(path="/", file="hello.txt", media_type="text/plain"),
    Route(path="/512", file="512.txt", media_type="text/plain"),
    Route(path="/json", file="1k.json", media_type="application/json"),
    Route(path="/static.txt", file="static.txt", media_type="text/plain"),
]
