"""The load engine's process: a plan goes in, lines come out. It must not know suites or statistics.

docs/engine.md describes both; the structures here are that description, strict.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Literal

import msgspec


class Request(msgspec.Struct):
    """One HTTP request."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body_base64: str | None = None

    @property
    def accepts_gzip(self) -> bool:
        """Whether it asks for compressed answers."""
        return any(name.lower() == "accept-encoding" and "gzip" in value for name, value in self.headers)


class Expect(msgspec.Struct):
    """What every answer must be."""

    status: int
    body_base64: str


class ProcessClocks(msgspec.Struct):
    """Where a hop's CPU time is read: the process CPU clocks of these pids, added up."""

    processes: list[int]


class Cgroup(msgspec.Struct):
    """Where the CPU time of a hop that forks is read: the account of its cgroup."""

    cgroup: str


class EngineHop(msgspec.Struct):
    """One hop's accounts."""

    name: str
    cpu: ProcessClocks | Cgroup


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
    request: Request
    expect: Expect
    freeze: dict[str, object] | None
    hops: list[EngineHop]
    network_namespace: str | None = None
    tls: Tls | None = None
    requests_per_connection: int | None = None
    slice_ns: int | None = None  # None is the plan's
    arrivals: dict[str, Rate] | None = None  # {"constant": Rate} or {"poisson": Rate}; None is the closed loop


class WarmUp(msgspec.Struct):
    """How long an arm is loaded before anything counts."""

    least_ns: int
    most_ns: int


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


class Start(msgspec.Struct, tag_field="kind", tag="start"):
    """The engine has read its plan; of bodies above 64 KiB it compares the bytes of one in `compared_one_in`."""

    version: str
    io: str
    batch: int
    cores: list[int]
    compared_one_in: int


class Opening(msgspec.Struct, tag_field="kind", tag="opening"):
    """An arm's connections are being opened, before any request; once a second, and when that is done."""

    arm: str
    elapsed_ns: int
    connections: int
    established: int
    done: bool
    errors: dict[str, int]


class WarmedUp(msgspec.Struct, tag_field="kind", tag="warm_up"):
    """An arm has been warmed up; `answers`, `slices_elapsed_ns` and `cpu_ns` (all hops together) are per slice.

    The CPU time of a slice is None where that of a hop is not known.
    """

    arm: str
    elapsed_ns: int
    plateau: bool
    answers: list[int]
    errors: dict[str, int]
    slices_elapsed_ns: list[int] = []
    cpu_ns: list[int | None] = []


class Slice(msgspec.Struct, tag_field="kind", tag="slice"):
    """An uninterrupted stretch of load on one arm; docs/engine.md says what each key counts.

    The CPU time of a hop is None where one of its processes was gone; drain_ns is None in the closed loop.
    `in_flight_ns` is the integral of the requests in flight over the arm's time, `aged_ns` what their ages grew by from
    the slice's beginning to its end: their difference, over all slices, is the sum of the service times.
    """

    arm: str
    round: int
    place: int
    start_ns: int
    elapsed_ns: int
    freeze_ns: int
    frozen_ns: int | None
    answers: int
    sent: int
    errors: dict[str, int]
    reconnects: int
    received_bytes: int
    cpu_ns: dict[str, int | None]
    cpu_outside_ns: dict[str, int | None]
    generator_cpu_ns: int
    due: int | None = None
    not_sent: int | None = None
    drain_ns: int | None = None
    spin_ns: int | None = None
    late: int | None = None
    in_flight_ns: int | None = None
    aged_ns: int | None = None


class ArmTotals(msgspec.Struct, tag_field="kind", tag="arm"):
    """An arm's accounts over the whole block, and its histograms (V2 compressed, base64, ns).

    `compared` answers had every byte compared, `established` connections were open at the end.
    """

    arm: str
    sent: int
    answers: int
    compared: int
    in_flight: int
    established: int
    reconnects: int
    errors: dict[str, int]
    service_time: str
    unanswered: str
    due: int | None = None
    not_sent: int | None = None
    opened: int | None = None
    response_time: str | None = None
    response_unanswered: str | None = None
    send_lag: str | None = None
    unsent: str | None = None
    all_opened: bool | None = None


class End(msgspec.Struct, tag_field="kind", tag="end"):
    """The engine's own judgement of the run."""

    elapsed_ns: int
    generator_cpu_ns: int
    validity: Literal["valid", "suspect", "void"]
    reasons: list[str]


Line = Start | Opening | WarmedUp | Slice | ArmTotals | End


def engine_request(
    target: str, headers: Sequence[tuple[str, str]] = (), method: str = "GET", body: bytes | None = None
) -> Request:
    """A request as the check sends it, so that what is checked is what is loaded."""
    return Request(
        method=method,
        target=target,
        headers=[("Host", "localhost"), *headers],
        body_base64=None if body is None else base64.b64encode(body).decode(),
    )


def engine_expect(status: int, body: bytes) -> Expect:
    """Every answer must have this status and these bytes."""
    return Expect(status=status, body_base64=base64.b64encode(body).decode())
