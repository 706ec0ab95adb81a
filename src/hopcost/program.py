"""What a program is: `programs/<name>/program.toml`, whether it is there, and how its source is built.

It must not know stacks or experiments.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec

from hopcost import binaries, builds, toml_file
from hopcost.builds import Build
from hopcost.errors import CannotMeasure, UsageError, nearest
from hopcost.settings import SettingDefinition, as_written
from hopcost.suite import Link, Setting

PROGRAMS = Path(__file__).parent / "programs"
SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin"]  # where servers are, and an ordinary user's PATH is not


class Need(msgspec.Struct, forbid_unknown_fields=True):
    """A file that a program takes besides its executable, a module for instance; `needs.NAME` is its path in templates.

    Without `when` the program is not there without it; with it, only under settings of these values.
    """

    files: Annotated[list[str], msgspec.Meta(min_length=1)]
    install: str
    when: dict[str, Setting] = {}

    def found(self) -> str | None:
        """The first of the files that exists."""
        return next((file for file in self.files if Path(file).exists()), None)


class Program(msgspec.Struct, forbid_unknown_fields=True):
    """A server that can be a hop.

    `links` are the ways it can be reached, `upstream_links` the ways it reaches the next hop (none for an origin).
    `executable` is a name sought on the PATH; programs with a `build` are made from their source instead.
    `files` maps a file in the stack's directory to the template it is generated from; both are templates. `config` is
    the one of them that a hop's own configuration takes the place of.
    `answers` programs can be the last hop though they can forward too; `balances` programs forward to several copies of
    the next hop. `children` is a template for the number of child processes without which it is not ready: those that
    come later are neither accounted for nor frozen. `forks` says that its processes come and go under load, or are very
    many: its CPU time is then that of its cgroup. It is true or false, or a template for one of the words.
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
    config: str = ""
    settings: dict[str, SettingDefinition] = {}
    version_least: str = ""
    needs: dict[str, Need] = {}
    balances: bool = False
    answers: bool = False
    children: str = "0"
    forks: bool | str = False
    idle_timeout_s: float | None = None

    @property
    def is_origin(self) -> bool:
        """Whether it can be the last hop."""
        return self.answers or not self.upstream_links

    @property
    def folder(self) -> Path:
        """Where its definition, source and templates are."""
        return PROGRAMS / self.name

    def resolve_settings(self, given: dict[str, Setting], cores: int, where: str) -> dict[str, Setting]:
        """Defaults overlaid with what is given, "cores" replaced by the number.

        UsageError names the setting that the program does not know, or cannot take, or that has no effect there.
        """
        for key in given:
            if key not in self.settings:
                hint = nearest(key, self.settings) if self.settings else f"{self.name} has no settings"
                raise UsageError(f"{where}: {self.name} has no setting '{key}'", hint)
        resolved = {
            key: definition.resolve(given.get(key, definition.default), cores, f"{where}: {self.name}.{key}")
            for key, definition in self.settings.items()
        }
        for key in given:
            self._refuse_without_effect(key, resolved, where)
        return resolved

    def _refuse_without_effect(self, key: str, resolved: Mapping[str, Setting], where: str) -> None:
        for other, needed in self.settings[key].when.items():
            if resolved[other] != needed:
                raise UsageError(
                    f"{where}: {self.name}.{key} has no effect with {other} = {as_written(resolved[other])}",
                    f"set {other} = {as_written(needed)} there too, or leave {key} out",
                )


class Lacking(msgspec.Struct, frozen=True):
    """What is missing only under settings of these values."""

    when: dict[str, Setting]
    missing: str
    remedy: str


class Installed(msgspec.Struct):
    """The receipt that a program is there: its path and the version it printed, or why it is missing.

    `needs` are the paths of the files that it needs besides, `lacking` what some settings need and is not there.
    """

    path: str | None = None
    version: str | None = None
    missing: str | None = None
    remedy: str | None = None
    needs: dict[str, str] = {}
    lacking: list[Lacking] = []

    def under(self, settings: Mapping[str, Setting]) -> Installed:
        """The receipt for these settings: missing too where they need what is lacking."""
        for each in self.lacking:
            if self.missing is None and each.when.items() <= settings.items():
                return Installed(missing=each.missing, remedy=each.remedy)
        return self


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
    if program.config and program.config not in program.files:
        raise UsageError(
            f"{path}: config: '{program.config}' is none of its files", nearest(program.config, program.files)
        )
    for key, setting in program.settings.items():
        setting.check(f"{path}: settings.{key}")
        _check_when(program, setting.when, f"{path}: settings.{key}.when")
    for key, need in program.needs.items():
        _check_when(program, need.when, f"{path}: needs.{key}.when")
        for setting_key, value in need.when.items():
            where = f"{path}: needs.{key}.when: {setting_key}"
            if program.settings[setting_key].default == value:
                raise UsageError(f"{where}: that is its default", "what the default needs is needed always: no `when`")
    files = [*program.files.values(), *(program.build.sources if program.build is not None else [])]
    for file in files:
        if not (path.parent / file).is_file():
            raise UsageError(f"{path}: no file '{file}' beside it")


def _check_when(program: Program, when: Mapping[str, Setting], where: str) -> None:
    """Conditions name settings of the program, and values that these take."""
    for key, value in when.items():
        if key not in program.settings:
            raise UsageError(f"{where}: {key}: no setting is called so", nearest(key, program.settings))
        program.settings[key].resolve(value, 1, f"{where}: {key}")


@cache
def installed(name: str, binary: str | None = None) -> Installed:
    """Whether the program is there, by its version command: no version, no program. Builds nothing.

    A `binary` is asked in place of the installed or built one; UsageError where it is not the program.
    """
    program = load(name)
    if binary is not None:
        found = _by_version(program, _given(name, binary))
        if found.missing is not None:
            hint = f"it must take the command line of {name} (programs/{name}/program.toml), and print its version"
            raise UsageError(f"{name}: binary: {found.missing}", hint)
        return found
    path = _built_path(program) if program.build else _find(program.executable)
    if path is None or not path.exists():
        if program.build and _find(program.build.tool):
            return Installed(missing="not built yet", remedy=f"hopcost build {name}")
        what = program.build.tool if program.build else program.executable
        return Installed(missing=f"'{what}' is not installed", remedy=program.install)
    return _by_version(program, path)


def _given(name: str, binary: str) -> Path:
    """The path of a binary that a person named; UsageError where it cannot be started."""
    path = Path(binary)
    if not path.is_file():
        raise UsageError(f"{name}: binary: {binary}: no such file", "a path is taken from the suite's folder")
    if not os.access(path, os.X_OK):
        raise UsageError(f"{name}: binary: {binary} is not executable", f"chmod +x {binary}")
    return path


def _by_version(program: Program, path: Path) -> Installed:
    """The receipt for an executable that is there, by what it prints."""
    command = [word.replace("{executable}", str(path)) for word in program.version_command]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Installed(missing=f"{' '.join(command)}: {error}", remedy=program.install)
    found = re.search(program.version_pattern, run.stdout + run.stderr)
    if found is None:
        return Installed(missing=f"{' '.join(command)} printed no version", remedy=program.install)
    if _numbers(found[1]) < _numbers(program.version_least):
        least = program.version_least
        return Installed(missing=f"{path} has version {found[1]}, {least} is needed at least", remedy=program.install)
    return _with_needs(program, Installed(path=str(path), version=found[1]))


def _with_needs(program: Program, receipt: Installed) -> Installed:
    """The receipt with the files that are needed besides; missing where one is not there that is needed always."""
    for name, need in program.needs.items():
        path = need.found()
        if path is not None:
            receipt.needs[name] = path
            continue
        where = " ".join(f"with {key} = {value!r}" for key, value in need.when.items())
        missing = f"{program.name} needs {need.files[0]} {where}".rstrip() + ", which is not there"
        if not need.when:
            return Installed(missing=missing, remedy=need.install)
        receipt.lacking.append(Lacking(when=need.when, missing=missing, remedy=need.install))
    return receipt


def _numbers(version: str) -> list[int]:
    """`1.22.1` → [1, 22, 1], to be compared."""
    return [int(number) for number in re.findall(r"\d+", version)]


def is_built(program: Program) -> bool:
    """Whether what is made from source is there, made of the sources as they are now."""
    return _built_path(program).exists()


def idle_timeout_s(name: str, given: Mapping[str, Setting]) -> float | None:
    """After how long the program drops an idle connection under these settings; None where it says nothing of it."""
    program = load(name)
    definition = program.settings.get("keepalive_timeout_s")
    value = given.get("keepalive_timeout_s", definition.default if definition is not None else None)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) or None
    return program.idle_timeout_s


def build(name: str) -> None:
    """Make the program's executable in the user's cache, if it is not there; CannotMeasure when that fails."""
    program = load(name)
    if program.build is None or is_built(program):
        return
    _tool(name)
    builds.make(name, program.folder, program.build, program.install)
    installed.cache_clear()


def _tool(name: str) -> None:
    """CannotMeasure where what builds the program is not installed."""
    program = load(name)
    if program.build is not None and _find(program.build.tool) is None:
        raise CannotMeasure(f"{name} cannot be built: '{program.build.tool}' is not installed", program.install)


def build_missing(programs: Iterable[str], say: Callable[[str], None]) -> list[str]:
    """Build those of the programs that are made from source and not there yet; the reasons why some could not be."""
    problems = []
    for name in programs:
        if load(name).build is not None and installed(name).missing:
            try:
                _tool(name)
                say(f"building {name}")
                build(name)
            except CannotMeasure as error:
                problems.append(error.message)
    return problems


def _built_path(program: Program) -> Path:
    """Where the executable of a program with a build is, or will be."""
    assert program.build is not None, "only programs with a build have a built path"
    return builds.path(program.name, program.folder, program.build)


def _find(executable: str) -> Path | None:
    """An executable beside hopcost's own binaries, on the PATH, or in the system's folders for servers."""
    own = binaries.find(executable)
    if own is not None:
        return own
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), *SYSTEM_FOLDERS])
    found = shutil.which(executable, path=search)
    return Path(found) if found else None
