"""What a program is: the structures of `programs/<name>/program.toml`, and its receipt on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError, nearest
from hopcost.programs.definition.settings import SettingDefinition, as_written
from hopcost.suites.arms.arm import Link, SettingValue

PROGRAMS = Path(__file__).parents[1] / "shipped"


class Need(msgspec.Struct, forbid_unknown_fields=True):
    """A file that a program takes besides its executable, a module for instance; `needs.NAME` is its path in templates.

    Without `when` the program is not there without it; with it, only under settings of these values.
    """

    files: Annotated[
        list[str],
        Meta(min_length=1, description="paths where it may be, the first that exists is `needs.NAME` in templates"),
    ]
    install: Annotated[str, Meta(description="the command that installs it")]
    when: Annotated[
        dict[str, SettingValue],
        Meta(description='settings with the values that need it: `when = { content = "lua" }`; the others go without'),
    ] = {}

    def first_file(self) -> str | None:
        """The first of the files that exists; None if none does."""
        return next((file for file in self.files if Path(file).exists()), None)


class Program(msgspec.Struct, forbid_unknown_fields=True):
    """A server that can be a hop.

    Child processes that come after it is ready are neither accounted for nor frozen.
    """

    name: Annotated[str, Meta(description="the same as the folder's name")]
    title: Annotated[str, Meta(description="one line for `hopcost list`")]
    links: Annotated[list[Link], Meta(description="how it can be reached")]
    command: Annotated[
        list[str],
        Meta(min_length=1, description="the command line, a template for each word; must stay in the foreground"),
    ]
    version_command: Annotated[
        list[str], Meta(min_length=1, description="prints its version; `{executable}` stands for its path")
    ]
    version_pattern: Annotated[str, Meta(description="a regular expression; its first group is the version")]
    install: Annotated[str, Meta(description="the command that installs it, shown if it is missing")]
    executable: Annotated[
        str, Meta(description="sought on the PATH and in the folders for servers; leave it out with `[build]`")
    ] = ""
    upstream_links: Annotated[
        list[Link], Meta(description="how it reaches the next hop; empty: it is an origin, and the last hop")
    ] = []
    build: Annotated[Build | None, Meta(description="how it is made from source")] = None
    files: Annotated[
        dict[str, str],
        Meta(description="generated files: name in the stack's directory → template in the program's folder"),
    ] = {}
    config: Annotated[
        str,
        Meta(
            description="which of `files` a hop's own `config` takes the place of; empty: it has no configuration file"
        ),
    ] = ""
    settings: Annotated[dict[str, SettingDefinition], Meta(description="what an arm can set: `[settings.NAME]`")] = {}
    version_least: Annotated[
        str, Meta(description="the oldest version that will do; an older one counts as missing")
    ] = ""
    needs: Annotated[
        dict[str, Need], Meta(description="files that it takes besides, always or under some settings: `[needs.NAME]`")
    ] = {}
    balances: Annotated[bool, Meta(description="true: forwards to several copies of the next hop (`upstreams`)")] = (
        False
    )
    answers: Annotated[bool, Meta(description="true: can be the last hop though it has `upstream_links`")] = False
    children: Annotated[str, Meta(description="a template: how many child processes it must have to be ready")] = "0"
    forks: Annotated[
        bool | str,
        Meta(
            description="true, false, or a template for one of them: its processes come and go under load, or are very"
            " many; its CPU time is then that of a cgroup"
        ),
    ] = False
    idle_timeout_s: Annotated[
        float | None,
        Meta(description="after how long it drops an idle connection, if no setting `keepalive_timeout_s` says it"),
    ] = None

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
    """What some settings need and this machine does not have."""

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
        """The receipt for these settings: missing too if they need what is lacking."""
        for lack in self.lacking:
            if self.missing is None and lack.when.items() <= settings.items():
                return Installed(missing=lack.missing, remedy=lack.remedy)
        return self


class Build(msgspec.Struct, forbid_unknown_fields=True):
    """How the program's source becomes an executable; `{output}` stands for what to make.

    Without `executable` the output is that file, and the command runs in the program's folder. With `executable` the
    output is a folder which holds it: the sources are copied there, and the command runs there.
    """

    tool: Annotated[str, Meta(description="the executable that must be installed to build it")]
    command: Annotated[
        list[str],
        Meta(
            min_length=1,
            description="what makes it; `{output}` stands for the file or folder to make, `{cache}` for a folder that"
            " the next build finds again",
        ),
    ]
    sources: Annotated[
        list[str],
        Meta(
            min_length=1,
            description="files whose content names the build, lock files too: if one changes, it is built anew",
        ),
    ]
    executable: Annotated[
        str,
        Meta(description="the executable in the folder `{output}`; leave it out if `{output}` is the executable"),
    ] = ""
