"""What a person asks of `hopcost conf`: the file, the site, the app behind it, the load."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.suites.arms.app import App
from hopcost.suites.experiments.workload import Workload

ACCEPT_GZIP = ["Accept-Encoding", "gzip"]  # as every browser sends it: without it, nobody sees gzip


class ConfRequest(msgspec.Struct, frozen=True):
    """The main file or a site, the nginx that reads it, and the load; the headers are those that were asked for.

    `host` and `port` choose the site, None: the first that answers itself. `app` is what the configuration passes
    requests to; None: hopcost's own origin takes its place.
    """

    file: Path
    workload: Workload
    nginx: str = "nginx"
    host: str | None = None
    port: int | None = None
    app: App | None = None
    is_quick: bool = False

    def workload_of(self, host: str, login: str | None = None) -> Workload:
        """The load as it is sent to a site of this name: Host and Accept-Encoding are there, unless they were asked.

        So is Authorization where the site asks for a `login`.
        """
        own = self.workload.headers
        names = {name.lower() for name, _ in own}
        fields = [["Host", host], ACCEPT_GZIP, *([["Authorization", login]] if login is not None else [])]
        added = [field for field in fields if field[0].lower() not in names]
        return msgspec.structs.replace(self.workload, headers=[*added, *own])
