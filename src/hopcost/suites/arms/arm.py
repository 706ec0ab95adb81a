"""A stack under given settings: links, hops, arms, and how settings lie over each other."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.app import App
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer

COPY_SUFFIX = "-aa"  # behind the baseline's name: its second run, the A/A arm

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
ArmName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$")]  # of a running server it is its address
SysctlName = Annotated[str, Meta(pattern=r"^[a-z]+(\.[A-Za-z0-9_-]+)+$")]
Positive = Annotated[int, Meta(ge=1)]
SettingValue = str | int | bool
Settings = dict[Name, dict[str, SettingValue]]


class Link(Enum):
    """How a hop is reached."""

    HTTP_TCP = "http+tcp"
    HTTP_UNIX = "http+unix"
    FASTCGI_TCP = "fastcgi+tcp"
    FASTCGI_UNIX = "fastcgi+unix"
    HTTPS_TCP = "https+tcp"
    HTTP2_TLS = "http2+tls"

    @property
    def is_tls(self) -> bool:
        """Whether the client's first bytes are a handshake."""
        return self in (Link.HTTPS_TCP, Link.HTTP2_TLS)

    @property
    def is_http2(self) -> bool:
        """Whether many requests at a time go over a connection."""
        return self is Link.HTTP2_TLS

    @property
    def is_unix(self) -> bool:
        """Whether the address is a socket file."""
        return self.value.endswith("+unix")


class Hop(msgspec.Struct, forbid_unknown_fields=True):
    """One program with its settings inside a stack. Its paths are absolute here."""

    program: Annotated[
        Name,
        Meta(
            description="a program's name, as `hopcost list` shows it, or that of an app or configuration of the suite"
        ),
    ]
    link: Annotated[
        Link,
        Meta(
            description="how this hop is reached; the program must offer it, and the hop before it must forward over it"
        ),
    ]
    settings: Annotated[
        dict[str, SettingValue], Meta(description="the program's settings for this hop; they win over the experiment's")
    ] = {}
    port: Annotated[
        Annotated[int, Meta(ge=1, le=65535)] | None,
        Meta(description="a fixed TCP port; not in a baseline, which runs twice at once; absent: a free one is taken"),
    ] = None
    copies: Annotated[
        Positive,
        Meta(description="instances of this hop, each with its own address; the hop before balances over them"),
    ] = 1
    last_copy: Annotated[
        dict[str, SettingValue],
        Meta(description="settings of the last of several copies, over `settings`: one that is slower than the others"),
    ] = {}
    config: Annotated[
        str | None,
        Meta(
            description="a template in place of the program's own configuration; a path from the suite's folder. See"
            " [Another configuration](#another-configuration-another-binary)"
        ),
    ] = None
    binary: Annotated[
        str | None,
        Meta(description="an executable in place of the installed or built program; a path from the suite's folder"),
    ] = None
    app: Annotated[
        App | None,
        Meta(description="not for you to write: the app of this name, laid in here when the suite is read"),
    ] = None
    configuration: Annotated[
        Configuration | None,
        Meta(description="not for you to write: the configuration of this name, laid in when the suite is read"),
    ] = None

    @property
    def fixed_port(self) -> int | None:
        """The port that it must have: its own `port`, or the one that the user's app listens on whatever it is told."""
        return self.port or (self.app.port if self.app is not None else None)

    def settings_over(self, settings: Settings) -> dict[str, SettingValue]:
        """The hop's settings over those of its program in `settings`."""
        return settings.get(self.program, {}) | self.settings

    def from_folder(self, folder: Path) -> Hop:
        """With its paths made absolute."""
        absolute = {
            key: str((folder / path).resolve())
            for key, path in (("config", self.config), ("binary", self.binary))
            if path is not None
        }
        return msgspec.structs.replace(self, **absolute)


class Arm(msgspec.Struct, forbid_unknown_fields=True):
    """A stack under given settings as one side of a comparison."""

    hops: Annotated[list[Hop], Meta(description="from the one that the client reaches to the origin; at least one")]
    title: Annotated[str, Meta(description="the arm in words; stands in JSON reports")] = ""
    stand_in: Annotated[
        bool, Meta(description="true: runs only if another arm of the experiment is left out; never a baseline")
    ] = False
    settings: Annotated[
        Settings,
        Meta(
            description="settings by program, for all its hops in this arm: `[arms.NAME.settings.PROGRAM]`; they win"
            " over the experiment's, a hop's own win over them"
        ),
    ] = {}
    sysctls: Annotated[
        dict[SysctlName, int | str],
        Meta(
            description='by name, for the stack and its client: `{ "net.ipv4.tcp_tw_reuse" = 0 }`; net.* in the'
            " stack's own network namespace, others cannot be had and are told"
        ),
    ] = {}
    open_files: Annotated[
        Positive | None, Meta(description="limit of open files of each program; absent: as many as this machine gives")
    ] = None
    link_mbit_per_s: Annotated[
        Positive | None,
        Meta(description="the stack is reached over a link of this rate, both ways; absent: over loopback"),
    ] = None
    server: Annotated[
        RunningServer | None,
        Meta(description="a server that runs already, in place of hops: `hopcost vs` alone; not in a suite's file"),
    ] = None

    @property
    def is_http2(self) -> bool:
        """Whether load speaks HTTP/2 with it."""
        return (self.hops[0].link if self.server is None else Link(self.server.link)).is_http2
