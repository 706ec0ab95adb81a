"""The plan that the load engine reads: arms, rounds, slices.

docs/reference/engine-protocol.md describes it; the structures here are that description, strict. They know no suites.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from hopcost.programs.generators.beside import EngineIdleConnections, EngineSlowClients


class Request(msgspec.Struct):
    """One HTTP request."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body_base64: str | None = None

    @property
    def accepts_gzip(self) -> bool:
        """Whether it asks for compressed answers."""
        return accepts_gzip(self.headers)


class Expect(msgspec.Struct):
    """What every answer must be. Without a body its length is compared, without a length the status alone."""

    status: int
    body_base64: str | None
    length: int | None = None
    masked: list[tuple[int, int]] = []  # bytes of the body that may be any: from, and to without it


class EngineMixed(msgspec.Struct):
    """One request of a mix."""

    name: str
    weight: int
    request: Request
    expect: Expect


class ProcessClocks(msgspec.Struct):
    """Where a hop's CPU time is read: the process CPU clocks of these pids, added up."""

    processes: list[int]


class Cgroup(msgspec.Struct):
    """Where the CPU time of a hop that forks is read: the account of its cgroup."""

    cgroup: str


class AtAgent(msgspec.Struct):
    """An agent on the stacks' machine reads it: the arm of this place in its order."""

    agent: int


class EngineHop(msgspec.Struct, omit_defaults=True):
    """One hop's accounts. A `shared` one serves other arms too: what it uses outside this arm's slices is theirs."""

    name: str
    cpu: ProcessClocks | Cgroup | AtAgent
    shared: bool = False


class Rate(msgspec.Struct):
    """The offered load of an open loop, over all connections."""

    rate_per_s: float


class Tls(msgspec.Struct):
    """TLS to the first hop: whom to trust. Without a `server_name` the certificate must be the address's."""

    ca_file: str | None
    server_name: str | None = None
    verify: bool = True
    resume: bool = True


class EngineArm(msgspec.Struct):
    """One side of the comparison, as the engine needs to know it."""

    name: str
    address: dict[str, str]
    connections: int
    timeout_ns: int
    freeze: dict[str, object] | None
    hops: list[EngineHop]
    request: Request | None = None  # None, as `expect`, if there is a mix
    expect: Expect | None = None
    mix: list[EngineMixed] = []
    network_namespace: str | None = None
    tls: Tls | None = None
    wire: str = "http"  # or `http2`
    streams: int | None = None  # requests at a time on a connection of HTTP/2
    requests_per_connection: int | None = None
    slice_ns: int | None = None  # None is the plan's
    reopen_each_round: str | None = None  # `spread` or `burst`; None keeps the connections
    close_each_round: bool = False  # with it they are closed behind each slice too
    slow_clients: EngineSlowClients | None = None
    idle_connections: EngineIdleConnections | None = None
    arrivals: dict[str, Rate] | None = None  # {"constant": Rate} or {"poisson": Rate}; None is the closed loop

    @property
    def accepts_gzip(self) -> bool:
        """Whether its request, the first of a mix, asks for compressed answers."""
        request = self.mix[0].request if self.request is None else self.request
        return request.accepts_gzip


class WarmUp(msgspec.Struct):
    """An arm's load before anything counts: at least so long and for so many requests, at most so long."""

    least_ns: int
    most_ns: int
    requests: int = 0


class EngineAgent(msgspec.Struct):
    """The agent on the stacks' machine: where it listens, the name in its certificate, the engine's own certificate."""

    address: str
    server_name: str
    ca_file: str
    cert_file: str
    key_file: str


class EnginePlan(msgspec.Struct):
    """A block's load: arms, rounds, slices."""

    seed: int
    cores: list[int]
    slice_ns: int
    settle_ns: int
    rounds: int
    warm_up: WarmUp
    arms: list[EngineArm]
    slice_jitter: float = 0.0
    io: str = "auto"
    batch: int = 1
    shared_cores: bool = False  # the arms may run on the engine's cores: then it is no fault if it waits for one
    agent: EngineAgent | UnsetType = UNSET  # left out of the plan if the arms run on the engine's machine


def engine_request(
    target: str, headers: Sequence[tuple[str, str]] = (), method: str = "GET", body: bytes | None = None
) -> Request:
    """A request as the check sends it, so that what is checked is what is loaded."""
    return Request(
        method=method,
        target=target,
        headers=with_host(headers),
        body_base64=None if body is None else base64.b64encode(body).decode(),
    )


def accepts_gzip(headers: Iterable[tuple[str, str]]) -> bool:
    """Whether such header fields ask for compressed answers.

    >>> accepts_gzip([("Accept-Encoding", "br, gzip")]), accepts_gzip([])
    (True, False)
    """
    return any(name.lower() == "accept-encoding" and "gzip" in value for name, value in headers)


def with_host(headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The header fields with `Host: localhost` before them, unless they name a host."""
    host = [] if any(name.lower() == "host" for name, _ in headers) else [("Host", "localhost")]
    return [*host, *headers]


def engine_expect(
    status: int, body: bytes | None, length: int | None = None, masked: Sequence[tuple[int, int]] = ()
) -> Expect:
    """Every answer must have this status and these bytes; without a body this length, or any."""
    encoded = None if body is None else base64.b64encode(body).decode()
    return Expect(status=status, body_base64=encoded, length=length, masked=list(masked))
