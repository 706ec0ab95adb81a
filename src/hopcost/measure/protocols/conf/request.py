"""What a person asks of `hopcost conf`: the file, the site, the app behind it, the load."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.nginx.sites import Site
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Link
from hopcost.suites.experiments.workload import Workload

ACCEPT_GZIP = ["Accept-Encoding", "gzip"]  # as every browser sends it: without it, nobody sees gzip


class ConfRequest(msgspec.Struct, frozen=True):
    """The main file or a site, the nginx that reads it, and the load; the headers are those that were asked for.

    Over `http2` clients speak that with the site, `workload.streams` requests at a time on each connection. `host` and
    `port` choose the site, None: the first that answers itself. `app` is what the configuration passes
    requests to; None: hopcost's own origin takes its place.
    """

    file: Path
    workload: Workload
    nginx: str = "nginx"
    host: str | None = None
    port: int | None = None
    app: App | None = None
    http2: bool = False
    is_quick: bool = False

    @property
    def streams(self) -> int | None:
        """Requests at a time on each connection over HTTP/2; None over HTTP/1.1."""
        return self.workload.streams if self.http2 else None

    def link_to(self, site: Site) -> Link:
        """How clients reach the site. UsageError for HTTP/2 where there is no TLS."""
        if self.http2 and not site.is_tls:
            raise UsageError(f"--http2: {site.url} is reached without TLS", "--site :443 names a site that has it")
        return Link.HTTP2_TLS if self.http2 else Link.HTTPS_TCP if site.is_tls else Link.HTTP_TCP

    def workload_of(self, host: str, login: str | None = None) -> Workload:
        """The load as it is sent to a site of this name: Host and Accept-Encoding are there, unless they were asked.

        So is Authorization where the site asks for a `login`.
        """
        own = self.workload.headers
        names = {name.lower() for name, _ in own}
        fields = [["Host", host], ACCEPT_GZIP, *([["Authorization", login]] if login is not None else [])]
        added = [field for field in fields if field[0].lower() not in names]
        return msgspec.structs.replace(self.workload, headers=[*added, *own])
