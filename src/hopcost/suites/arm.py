"""What to measure: the suite file, as a strict structure, and its own consistency.

It must not know how programs start or what this machine is; `plan.py` brings those in.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import msgspec

COPY_SUFFIX = "-aa"  # behind the baseline's name: its second run, the A/A arm

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
SysctlName = Annotated[str, msgspec.Meta(pattern=r"^[a-z]+(\.[A-Za-z0-9_-]+)+$")]
Positive = Annotated[int, msgspec.Meta(ge=1)]
SettingValue = str | int | bool
Settings = dict[Name, dict[str, SettingValue]]


class Link(Enum):
    """How a hop is reached."""

    HTTP_TCP = "http+tcp"
    HTTP_UNIX = "http+unix"
    FASTCGI_TCP = "fastcgi+tcp"
    FASTCGI_UNIX = "fastcgi+unix"
    HTTPS_TCP = "https+tcp"

    @property
    def is_unix(self) -> bool:
        """Whether the address is a socket file."""
        return self.value.endswith("+unix")


class Hop(msgspec.Struct, forbid_unknown_fields=True):
    """One program with its settings inside a stack.

    `last_copy` are settings of the last of several copies, over those of all. `config` is a template in place of the
    program's own configuration, `binary` an executable in place of the installed or built one. Both are paths from the
    suite's folder; here they are absolute.
    """

    program: Name
    link: Link
    settings: dict[str, SettingValue] = {}
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] | None = None
    copies: Positive = 1
    last_copy: dict[str, SettingValue] = {}
    config: str | None = None
    binary: str | None = None

    def from_folder(self, folder: Path) -> Hop:
        """With its paths made absolute."""
        absolute = {
            key: str((folder / given).resolve())
            for key, given in (("config", self.config), ("binary", self.binary))
            if given is not None
        }
        return msgspec.structs.replace(self, **absolute)


class Arm(msgspec.Struct, forbid_unknown_fields=True):
    """A stack under given settings as one side of a comparison; hops from the client's side to the origin.

    `settings` are by program, over the experiment's; a hop's own win.
    """

    hops: Annotated[list[Hop], msgspec.Meta(min_length=1)]
    title: str = ""
    stand_in: bool = False
    settings: Settings = {}
    sysctls: dict[SysctlName, int | str] = {}
    open_files: Positive | None = None
    link_mbit_per_s: Positive | None = None
