"""What an experiment asks of each arm: requests, connections, load shape."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import Positive
from hopcost.suites.experiments.beside import IdleConnections, SlowClients
from hopcost.suites.experiments.expect import Expect
from hopcost.suites.experiments.request import BodyBytes, BodyText, HeaderField, Method, MixedRequest, Target
from hopcost.suites.experiments.tls_sessions import TlsSessions


class Reopening(Enum):
    """How connections are opened anew before each round, if the first hop of an arm has several workers."""

    SPREAD = "spread"
    BURST = "burst"
    ONCE = "once"


class Workload(msgspec.Struct, forbid_unknown_fields=True):
    """Requests, connections, load shape."""

    connections: Annotated[
        Positive, Meta(description="connections that are always busy (closed loop), over all threads of the generator")
    ] = 64
    slow_clients: Annotated[
        SlowClients | None,
        Meta(
            description="connections beside these that read and write slowly, with figures of their own: `{ number ="
            " 1000, bytes_per_s = 30000 }`"
        ),
    ] = None
    idle_connections: Annotated[
        IdleConnections | None,
        Meta(
            description="connections beside these that are kept open and seldom used, with figures of their own: `{"
            ' number = 5000, every = "30s" }`'
        ),
    ] = None
    target: Annotated[Target, Meta(description="path and query of the request")] = "/"
    timeout_s: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="a request without a complete answer after this time on the arm's clock is a `timeout` error",
        ),
    ] = 10
    headers: Annotated[
        list[HeaderField],
        Meta(
            description='header fields of every request, the check\'s too: `[["Accept-Encoding", "gzip"]]`; `Host` is'
            " `localhost` unless it stands here; `Connection` is hopcost's own"
        ),
    ] = []
    requests_per_connection: Annotated[
        Positive | None,
        Meta(
            description="after so many requests a connection is closed, and opened anew for the next; 1: a connection"
            " per request; absent: kept for ever"
        ),
    ] = None
    streams: Annotated[
        Positive,
        Meta(
            description="requests at a time on each connection to a first hop that is reached over `http2+tls`; the"
            " others have one"
        ),
    ] = 1
    tls_sessions: Annotated[
        TlsSessions,
        Meta(
            description="how a TLS connection begins: with the session of an earlier one, as browsers do, if the server"
            " lets it (`resumed`); or with a whole handshake each time (`new`)"
        ),
    ] = TlsSessions.RESUMED
    method: Annotated[Method, Meta(description="what a request does; POST, PUT and PATCH carry a body")] = Method.GET
    body_bytes: Annotated[
        BodyBytes | None,
        Meta(
            description="how much each upload carries, up to 64 MiB: the ten digits over and over. The embedded"
            " origin's `/echo-length` answers with the length that arrived"
        ),
    ] = None
    body_text: Annotated[BodyText | None, Meta(description="what each carries, in place of `body_bytes`")] = None
    reopening: Annotated[
        Reopening,
        Meta(
            description="how connections are opened anew before each round, if the first hop has several workers: one"
            " after the other, as clients come (`spread`); all at once (`burst`); not at all, each start keeps those"
            " that it had (`once`)"
        ),
    ] = Reopening.SPREAD
    expect: Annotated[
        Expect,
        Meta(description='what every answer must be, before and under load: `expect = { compared = "length" }`'),
    ] = msgspec.field(default_factory=Expect)
    mix: Annotated[
        list[MixedRequest] | None,
        Meta(
            description="several requests in turns, one `[[experiments.workload.mix]]` each. Of each the arms' answers"
            " are compared, before load and under it"
        ),
    ] = None

    @property
    def beside(self) -> int:
        """How many slow clients and idle connections there are."""
        return sum(kind.number for kind in (self.slow_clients, self.idle_connections) if kind is not None)

    @property
    def body(self) -> bytes | None:
        """What every request carries: its text, or the ten digits over and over."""
        if self.body_text is not None:
            return self.body_text.encode()
        if self.body_bytes is None:
            return None
        return (b"0123456789" * (self.body_bytes // 10 + 1))[: self.body_bytes]

    @property
    def header_fields(self) -> list[tuple[str, str]]:
        """The header fields as pairs."""
        return [(name, value) for name, value in self.headers]
