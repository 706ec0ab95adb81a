"""What a program is: `programs/<name>/program.toml`, whether it is there, and how its source is built.

It must not know stacks or experiments.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
import platformdirs

from hopcost import binaries, toml_file
from hopcost.errors import CannotMeasure, UsageError, nearest
from hopcost.suite import Link, Setting

PROGRAMS = Path(__file__).parent / "programs"
SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin"]  # where servers are, and an ordinary user's PATH is not


class SettingKind(Enum):
    """What values a setting takes; `CORES` is a count, or the word "cores" for as many as the stack has."""

    CORES = "cores"
    COUNT = "count"
    SWITCH = "switch"


class SettingDefinition(msgspec.Struct, forbid_unknown_fields=True):
    """A knob of a program, with its default and what it does."""

    kind: SettingKind
    default: Setting
    doc: str


class Build(msgspec.Struct, forbid_unknown_fields=True):
    """How the program's source becomes an executable; `{output}` stands for the file to make."""

    tool: str
    command: Annotated[list[str], msgspec.Meta(min_length=1)]
    sources: Annotated[list[str], msgspec.Meta(min_length=1)]


class Program(msgspec.Struct, forbid_unknown_fields=True):
    """A server that can be a hop.

    `links` are the ways it can be reached, `upstream_links` the ways it reaches the next hop (none for an origin).
    `executable` is a name sought on the PATH; programs with a `build` are made from their source instead.
    `forks` says that its processes come and go under load: its CPU time is then that of its cgroup.
    `files` maps a file in the stack's directory to the template it is generated from.
    """

    name: str
    title: str
    links: list[Link]
    command: Annotated[list[str], msgspec.Meta(min_length=1)]
    version_command: Annotated[list[str], msgspec.Meta(min_length=1)]
    version_pattern: str
    install: str
    executable: str = ""
    upstream_links: list[Link] = []
    build: Build | None = None
    files: dict[str, str] = {}
    settings: dict[str, SettingDefinition] = {}
    forks: bool = False

    @property
    def folder(self) -> Path:
        """Where its definition, source and templates are."""
        return PROGRAMS / self.name

    def resolve_settings(self, given: dict[str, Setting], cores: int, where: str) -> dict[str, int | bool]:
        """Defaults overlaid with what is given, "cores" replaced by the number; UsageError names the setting."""
        for key in given:
            if key not in self.settings:
                hint = nearest(key, self.settings) if self.settings else f"{self.name} has no settings"
                raise UsageError(f"{where}: {self.name} has no setting '{key}'", hint)
        return {
            key: _resolve(given.get(key, definition.default), definition.kind, cores, f"{where}: {self.name}.{key}")
            for key, definition in self.settings.items()
        }


class Installed(msgspec.Struct):
    """The receipt that a program is there: its path and the version it printed, or why it is missing."""

    path: str | None = None
    version: str | None = None
    missing: str | None = None
    remedy: str | None = None


def _resolve(value: Setting, kind: SettingKind, cores: int, where: str) -> int | bool:
    if kind is SettingKind.CORES and value == "cores":
        return cores
    if kind is SettingKind.SWITCH:
        if isinstance(value, bool):
            return value
        raise UsageError(f"{where}: expected true or false, got {value!r}")
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        words = 'a whole number from 1, or "cores"' if kind is SettingKind.CORES else "a whole number from 1"
        raise UsageError(f"{where}: expected {words}, got {value!r}")
    return value


def names() -> list[str]:
    """All programs that hopcost knows."""
    return sorted(path.parent.name for path in PROGRAMS.glob("*/program.toml"))


@cache
def load(name: str) -> Program:
    """The program's definition; UsageError with the nearest name when there is none."""
    if name not in names():
        raise UsageError(f"no program is called '{name}'", nearest(name, names()))
    path = PROGRAMS / name / "program.toml"
    program = toml_file.read(path, Program)
    _check(program, path)
    return program


def _check(program: Program, path: Path) -> None:
    """What the structure alone cannot see: names, patterns and files that refer to nothing."""
    if program.name != path.parent.name:
        raise UsageError(f"{path}: name: '{program.name}', but the folder is called '{path.parent.name}'")
    if bool(program.executable) == (program.build is not None):
        raise UsageError(f"{path}: executable: expected either an executable or a [build]", "one of the two, not both")
    try:
        groups = re.compile(program.version_pattern).groups
    except re.error as error:
        raise UsageError(f"{path}: version_pattern: {error}") from error
    if groups < 1:
        raise UsageError(f"{path}: version_pattern: no group", "put the version in parentheses: 'nginx/(\\S+)'")
    files = [*program.files.values(), *(program.build.sources if program.build is not None else [])]
    for file in files:
        if not (path.parent / file).is_file():
            raise UsageError(f"{path}: no file '{file}' beside it")


@cache
def installed(name: str) -> Installed:
    """Whether the program is there, by its version command: no version, no program. Builds nothing."""
    program = load(name)
    path = _built_path(program) if program.build else _find(program.executable)
    if path is None or not path.exists():
        if program.build and _find(program.build.tool):
            return Installed(missing="not built yet", remedy=f"hopcost build {name}")
        what = program.build.tool if program.build else program.executable
        return Installed(missing=f"'{what}' is not installed", remedy=program.install)
    command = [word.replace("{executable}", str(path)) for word in program.version_command]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Installed(missing=f"{' '.join(command)}: {error}", remedy=program.install)
    found = re.search(program.version_pattern, run.stdout + run.stderr)
    if found is None:
        return Installed(missing=f"{' '.join(command)} printed no version", remedy=program.install)
    return Installed(path=str(path), version=found[1])


def build(name: str) -> None:
    """Make the program's executable in the user's cache, if it is not there; CannotMeasure when that fails."""
    program = load(name)
    if program.build is None or (output := _built_path(program)).exists():
        return
    if _find(program.build.tool) is None:
        raise CannotMeasure(f"{name} cannot be built: '{program.build.tool}' is not installed", program.install)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        unfinished = output.with_name(f".{output.name}-{os.getpid()}")
        command = [word.replace("{output}", str(unfinished)) for word in program.build.command]
        run = subprocess.run(command, cwd=program.folder, capture_output=True, text=True, errors="replace", check=False)
        if run.returncode != 0:
            unfinished.unlink(missing_ok=True)
            last = "\n".join((run.stdout + run.stderr).strip().splitlines()[-10:])
            raise CannotMeasure(f"{name} cannot be built: {' '.join(command)} ended with {run.returncode}:\n{last}")
        unfinished.rename(output)  # whole or not at all, also when two builds race
    except OSError as error:
        raise CannotMeasure(
            f"{name} cannot be built: {error.filename}: {error.strerror}",
            "programs are built into the user's cache; XDG_CACHE_HOME names another place for it",
        ) from error
    installed.cache_clear()


def build_missing(programs: Iterable[str], say: Callable[[str], None]) -> list[str]:
    """Build those of the programs that are made from source and not there yet; the reasons why some could not be."""
    problems = []
    for name in programs:
        if load(name).build is not None and installed(name).missing:
            say(f"building {name}")
            try:
                build(name)
            except CannotMeasure as error:
                problems.append(error.message)
    return problems


def _built_path(program: Program) -> Path:
    """In the user's cache, under a name that holds the digest of the sources: other sources, another file."""
    assert program.build is not None, "only programs with a build have a built path"
    digest = hashlib.sha256()
    for source in program.build.sources:
        digest.update(source.encode() + b"\0" + (program.folder / source).read_bytes())
    return Path(platformdirs.user_cache_dir("hopcost")) / f"{program.name}-{digest.hexdigest()[:16]}" / program.name


def _find(executable: str) -> Path | None:
    """An executable beside hopcost's own binaries, on the PATH, or in the system's folders for servers."""
    own = binaries.find(executable)
    if own is not None:
        return own
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS])
    found = shutil.which(executable, path=search)
    return Path(found) if found else None
