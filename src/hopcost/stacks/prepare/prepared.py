"""A stack with everything decided, and its hops."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from hopcost.plan.cores import Cores
from hopcost.stacks.client.address import Address
from hopcost.stacks.jail.prepare import Jail
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Settings, SettingValue
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer


class PreparedHop(msgspec.Struct):
    """A hop with everything decided: its command line and the files generated for it (name → text).

    It is ready when it has as many `children`. If it `forks`, its processes come and go, or are very many. `config` is
    the file that replaces the program's own configuration. The user's own `app` has a `folder` and an `environment`,
    the user's own `configuration` a `jail`.
    """

    name: str
    program: str
    version: str
    address: Address
    settings: dict[str, SettingValue]
    command: list[str]
    files: dict[str, str]
    children: int = 0
    forks: bool = False
    config: str | None = None
    app: App | None = None
    folder: str | None = None
    environment: dict[str, str] = {}
    configuration: Configuration | None = None
    jail: Jail | None = None

    @property
    def shown_files(self) -> dict[str, str]:
        """The files as somebody may see them: without the secrets of the user's own configuration."""
        return {name: text if self.jail is None else self.jail.mask(text) for name, text in self.files.items()}


class PreparedStack(msgspec.Struct):
    """A stack with everything decided, from the hop that the client reaches to the origin; nothing runs yet.

    `server` is a server that runs already, in its place.
    """

    arm: str
    hops: list[PreparedHop]
    cores: Cores
    open_files: int
    server: RunningServer | None = None

    @property
    def address(self) -> Address:
        """Where the client connects to."""
        return self.hops[0].address


class Shared(NamedTuple):
    """What all hops of a stack share; `reserved` are ports that no other hop may take."""

    where: str
    settings: Settings
    cores: Cores
    directory: Path
    open_files: int
    reserved: frozenset[int] = frozenset()
