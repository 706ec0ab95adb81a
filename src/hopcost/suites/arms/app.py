"""The user's own program as a hop: a command, and what hopcost must know of it."""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.errors import UsageError

PORT, SOCKET, HOST = "{port}", "{socket}", "{host}"  # in commands and environments, replaced at each start
PORT_VARIABLE = "PORT"
UNIX = "unix:"

VariableName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class App(msgspec.Struct, forbid_unknown_fields=True):
    """The user's own program. It runs as given, without a shell; its folder is absolute here.

    It gets the environment of hopcost, with the variable PORT. In `command` and in the values of `environment`
    `{port}`, `{host}` and, over a Unix socket, `{socket}` are replaced.
    """

    command: Annotated[
        list[str],
        Meta(min_length=1, description="its words; the first is sought in the folder if it has a slash, else on PATH"),
    ]
    folder: Annotated[str, Meta(description="its working directory; a path from the suite's folder")] = "."
    port: Annotated[
        Annotated[int, Meta(ge=1, le=65535)] | None,
        Meta(
            description="the port that it listens on whatever it is told; absent: it takes the one in `PORT` or"
            " `{port}`"
        ),
    ] = None
    environment: Annotated[
        dict[VariableName, str],
        Meta(description="variables over those that hopcost has itself; records hide their values"),
    ] = {}
    needs: Annotated[
        list[str],
        Meta(
            description="services of this machine that it uses: `HOST:PORT` or `unix:PATH`. See"
            " [What an app needs](#what-an-app-needs)"
        ),
    ] = []
    idle_timeout_s: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="after how long it drops an idle connection")
    ] = None
    warm_up_requests: Annotated[
        int, Meta(ge=0, description="answers in a warm-up at the least; 0: as many as for all programs")
    ] = 0
    ready_s: Annotated[
        Annotated[float, Meta(gt=0, le=3600)] | None,
        Meta(description="how long it may take from its start until it listens; absent: 30 s"),
    ] = None
    version: Annotated[str, Meta(description="your word for it, in reports")] = ""

    def mentions(self, place: str) -> bool:
        """Whether the command or a value of the environment has `{port}`, `{socket}` or `{host}`."""
        return any(place in text for text in [*self.command, *self.environment.values()])

    def from_folder(self, folder: Path) -> App:
        """With its paths made absolute. Links stay as they are: the app may look at its working directory."""
        needs = [
            UNIX + os.path.abspath(folder / need.removeprefix(UNIX)) if need.startswith(UNIX) else need  # noqa: PTH100
            for need in self.needs
        ]
        return msgspec.structs.replace(self, folder=os.path.abspath(folder / self.folder), needs=needs)  # noqa: PTH100


class Service(msgspec.Struct, frozen=True):
    """Something that an app uses: a host (an address or a name) and a port, or the path of a Unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def is_unix(self) -> bool:
        """Whether it is a socket file."""
        return bool(self.path)


def read_service(word: str) -> Service:
    """A service from `HOST:PORT` or `unix:PATH`; UsageError for anything else.

    >>> read_service("127.0.0.1:5432"), read_service("unix:/run/pg/.s.PGSQL.5432").path, read_service("[::1]:80").host
    (Service(host='127.0.0.1', port=5432, path=''), '/run/pg/.s.PGSQL.5432', '::1')
    """
    if word.startswith(UNIX):
        path = word.removeprefix(UNIX)
        if path:
            return Service(path=path)
    else:
        host, _, port = word.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if host and port.isascii() and port.isdecimal() and 0 < int(port) < 1 << 16:
            return Service(host=host, port=int(port))
    raise UsageError(f"'{word}': expected HOST:PORT or unix:PATH", "like 127.0.0.1:5432 or unix:/run/redis/redis.sock")
