"""How a program's source becomes an executable in the user's cache: once, and whole or not at all.

Who uses the cache holds it, so that `hopcost doctor --clean` takes nothing away from a living run.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
from functools import cache
from pathlib import Path

import platformdirs

from hopcost.errors import CannotMeasure
from hopcost.programs.definition.definition import Build, Program

LAST_LINES = 10  # of a failed build's output
LOCK_FILES = {"go.sum", "Cargo.lock", "package-lock.json"}
HELD = ".held"  # the file in the cache that its users lock
MADE = re.compile(r"\.?files(-\d+)?|[\w-]+-([0-9a-f]{16}|intermediate)")  # all that hopcost makes there


def path(name: str, folder: Path, recipe: Build) -> Path:
    """The executable in the user's cache, made or not; the path holds the digest of command and sources."""
    return _output(name, folder, recipe) / recipe.executable


def make(name: str, folder: Path, recipe: Build, install: str | None = None) -> None:
    """Build it anew in the user's cache; CannotMeasure if that fails, and then nothing is there.

    `install` says what the build needs: it stands in the hint, because an installed tool may be too old.
    """
    output = _output(name, folder, recipe)
    unfinished = output.with_name(f".{output.name}-{os.getpid()}")
    try:
        hold()
        output.parent.mkdir(parents=True, exist_ok=True)
        _remove_leavings(output)
        _run(name, folder, recipe, unfinished, install)
        _publish(unfinished, output, recipe)
    except OSError as error:
        raise CannotMeasure(
            f"{name} cannot be built: {error.filename}: {error.strerror}",
            "programs are built into the user's cache; XDG_CACHE_HOME names another place for it",
        ) from error
    finally:
        _remove(unfinished)


def cache_folder() -> Path:
    """The user's cache of hopcost."""
    return Path(platformdirs.user_cache_dir("hopcost"))


def hold() -> None:
    """Keep the cache from being removed until this process ends."""
    with contextlib.suppress(OSError):  # a cache that cannot be written is not removed either
        _hold(cache_folder())


@cache
def _hold(place: Path) -> int:
    place.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place / HELD, os.O_RDONLY | os.O_CREAT, 0o644)  # never closed: that would let go
    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return descriptor


def remove() -> bool:
    """Remove what hopcost has made in its cache; False, and nothing is removed, if a process holds it.

    OSError if this user may not.
    """
    place = cache_folder()
    if not place.is_dir():
        return True
    with (place / HELD).open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        for entry in place.iterdir():
            if MADE.fullmatch(entry.name):
                _remove(entry)
        (place / HELD).unlink()
    with contextlib.suppress(OSError):  # somebody else's files stay
        place.rmdir()
    return True


def _output(name: str, folder: Path, recipe: Build) -> Path:
    """What the command makes, under a name that other sources or another command would change."""
    digest = hashlib.sha256("\0".join([*recipe.command, recipe.executable]).encode())
    for source in recipe.sources:
        digest.update(source.encode() + b"\0" + (folder / source).read_bytes())
    return cache_folder() / f"{name}-{digest.hexdigest()[:16]}" / name


def _run(name: str, folder: Path, recipe: Build, unfinished: Path, install: str | None) -> None:
    """Run the build's command; CannotMeasure with its last lines when it fails."""
    if recipe.executable:
        for source in recipe.sources:
            (unfinished / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / source, unfinished / source)
    places = {"{output}": str(unfinished), "{cache}": str(cache_folder() / f"{name}-intermediate")}
    command = [_replaced(word, places) for word in recipe.command]
    with subprocess.Popen(
        command,
        cwd=unfinished if recipe.executable else folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,  # compilers have children: an interrupt ends them all
    ) as process:
        try:
            printed, _ = process.communicate()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        last = "\n".join(printed.strip().splitlines()[-LAST_LINES:])
        fetches = LOCK_FILES & {Path(source).name for source in recipe.sources}
        hints = [f"a first build fetches what {file} names: it needs the network" for file in fetches]
        raise CannotMeasure(
            f"{name} cannot be built: {' '.join(command)} ended with {process.returncode}:\n{last}",
            "; or ".join([*hints, *([install] if install else [])]) or None,
        )


def _replaced(word: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


def _publish(unfinished: Path, output: Path, recipe: Build) -> None:
    """Let the build be seen, at once and whole; if another build of the same was faster, that one stays."""
    (unfinished / recipe.executable).stat()  # OSError: the command succeeded and made nothing
    try:
        unfinished.rename(output)
    except OSError:
        if not (output / recipe.executable).exists():
            raise


def _remove_leavings(output: Path) -> None:
    """Remove what builds left that were killed in the middle."""
    for left in output.parent.glob(f".{output.name}-*"):
        pid = left.name.rpartition("-")[2]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            _remove(left)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            place.unlink()


def is_built(program: Program) -> bool:
    """Whether what is made from source is there, made of the sources as they are now."""
    return built_path(program).exists()


def built_path(program: Program) -> Path:
    """Where the executable of a program with a build is, or will be."""
    assert program.build is not None, "only programs with a build have a built path"
    return path(program.name, program.folder, program.build)
