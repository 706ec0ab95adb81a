"""What a program is: `programs/<name>/program.toml`, whether it is there, and how its source is built.

It must not know stacks or experiments.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.programs.settings import SettingDefinition, as_written
from hopcost.suites.arm import Link, SettingValue

PROGRAMS = Path(__file__).parent / "shipped"


class Need(msgspec.Struct, forbid_unknown_fields=True):
    """A file that a program takes besides its executable, a module for instance; `needs.NAME` is its path in templates.

    Without `when` the program is not there without it; with it, only under settings of these values.
    """

    files: Annotated[list[str], msgspec.Meta(min_length=1)]
    install: str
    when: dict[str, SettingValue] = {}

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

    def resolve_settings(self, given: dict[str, SettingValue], cores: int, where: str) -> dict[str, SettingValue]:
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

    def _refuse_without_effect(self, key: str, resolved: Mapping[str, SettingValue], where: str) -> None:
        for other, needed in self.settings[key].when.items():
            if resolved[other] != needed:
                raise UsageError(
                    f"{where}: {self.name}.{key} has no effect with {other} = {as_written(resolved[other])}",
                    f"set {other} = {as_written(needed)} there too, or leave {key} out",
                )


class Lacking(msgspec.Struct, frozen=True):
    """What is missing only under settings of these values."""

    when: dict[str, SettingValue]
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

    def under(self, settings: Mapping[str, SettingValue]) -> Installed:
        """The receipt for these settings: missing too where they need what is lacking."""
        for each in self.lacking:
            if self.missing is None and each.when.items() <= settings.items():
                return Installed(missing=each.missing, remedy=each.remedy)
        return self


class Build(msgspec.Struct, forbid_unknown_fields=True):
    """How the program's source becomes an executable; `{output}` stands for what to make.

    Without `executable` the output is that file, and the command runs in the program's folder. With `executable` the
    output is a folder which holds it: the sources are copied there, and the command runs there.
    """

    tool: str
    command: Annotated[list[str], msgspec.Meta(min_length=1)]
    sources: Annotated[list[str], msgspec.Meta(min_length=1)]
    executable: str = ""
