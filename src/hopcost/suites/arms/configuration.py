"""The user's own nginx.conf as a hop: which files, which edits of them, and where the site answers."""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.nginx.edits import Edit

Port = Annotated[int, Meta(ge=1, le=65535)]


class Configuration(msgspec.Struct, forbid_unknown_fields=True):
    """The user's own nginx.conf. It runs as it is, in a jail with all that it names. Its paths are absolute here.

    The hop after it is its app: it listens where the configuration sends the request.
    """

    file: Annotated[str, Meta(description="the main file; a path from the suite's folder")]
    port: Annotated[Port, Meta(description="the port of the site that is measured")]
    host: Annotated[str, Meta(description="what the request's `Host` says: one of the site's names")]
    nginx: Annotated[str, Meta(description="the nginx that reads it: a name on the PATH, or a path")] = "nginx"
    idle_timeout_s: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="after how long it drops an idle connection: its smallest `keepalive_timeout`"),
    ] = None
    edits: Annotated[list[Edit], Meta(description="changes to its files, by offset; the files themselves stay")] = []
    digest: Annotated[
        str | None,
        Meta(description="SHA-256 over all its files as they are meant; others are refused. Absent: as they are now"),
    ] = None

    def from_folder(self, folder: Path) -> Configuration:
        """With its paths made absolute."""
        binary = self.nginx if "/" not in self.nginx else os.path.abspath(folder / self.nginx)  # noqa: PTH100
        return msgspec.structs.replace(self, file=os.path.abspath(folder / self.file), nginx=binary)  # noqa: PTH100
