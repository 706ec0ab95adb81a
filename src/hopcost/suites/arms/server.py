"""A server that runs already, as the side of a comparison: `hopcost vs` measures it as it finds it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class ServerHop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Processes of a running server on this machine whose CPU time counts together."""

    name: Annotated[str, Meta(description="the name of its processes, as the kernel has it")]
    pids: Annotated[
        list[int], Meta(description="processes when the run began; what they start since then counts with them")
    ] = []
    cgroup: Annotated[str | None, Meta(description="the cgroup that counts their CPU time, if they have one")] = None
    listens: Annotated[bool, Meta(description="whether it is the one that the client reaches")] = True


class RunningServer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a running server is reached, with which request, and which of its processes are here."""

    url: Annotated[str, Meta(description="as it was named on the command line")]
    link: Annotated[str, Meta(description="`http+tcp`, `https+tcp`, `http2+tls` or `http+unix`")]
    address: Annotated[str, Meta(description="`IP:PORT`, or the path of a Unix socket")]
    host: Annotated[str, Meta(description="what the request's `Host` says")]
    target: Annotated[str, Meta(description="path and query of the request")]
    method: Annotated[str, Meta(description="of the request")] = "GET"
    body_file: Annotated[str | None, Meta(description="the file with the request's body")] = None
    server_name: Annotated[str | None, Meta(description="whose certificate it must show; null without TLS")] = None
    verify: Annotated[bool, Meta(description="whether its certificate is verified")] = True
    ca_file: Annotated[str | None, Meta(description="whom to trust; null: whom the system trusts")] = None
    hops: Annotated[
        list[ServerHop], Meta(description="its processes on this machine; empty if it runs elsewhere or is not known")
    ] = []
    is_here: Annotated[bool, Meta(description="whether it runs on this machine")] = True
    freeze: Annotated[
        bool, Meta(description="whether its processes stand still while the other servers are loaded")
    ] = False

    keeps_connections: Annotated[bool, Meta(description="whether a connection stays open behind its answer")] = True
    idle_timeout_s: Annotated[
        float | None,
        Meta(description="after how long it drops an idle connection; null: not while that was of interest"),
    ] = None
    blocked_by_idle: Annotated[
        int | None,
        Meta(description="beside so many new connections that were open and idle it did not answer; null: it did"),
    ] = None
    blocked_by_kept: Annotated[
        int | None,
        Meta(description="the same of connections that had had an answer each; null: it did, or keeps none"),
    ] = None

    @property
    def program(self) -> str:
        """What people call it: the processes that listen, else the host."""
        return self.hops[0].name if self.hops and self.hops[0].listens else self.host

    @property
    def is_unix(self) -> bool:
        """Whether it is reached over a Unix socket."""
        return self.link.endswith("+unix")

    @property
    def is_unseen(self) -> bool:
        """Whether it runs on this machine and its CPU time is not known."""
        return self.is_here and not self.hops

    @property
    def pids(self) -> frozenset[int]:
        """All its processes here."""
        return frozenset(pid for hop in self.hops for pid in hop.pids)

    @property
    def cgroups(self) -> frozenset[str]:
        """All cgroups that count its CPU time."""
        return frozenset(hop.cgroup for hop in self.hops if hop.cgroup is not None)

    def shares_processes(self, other: RunningServer) -> bool:
        """Whether some process belongs to both."""
        return bool(self.pids & other.pids or self.cgroups & other.cgroups)
