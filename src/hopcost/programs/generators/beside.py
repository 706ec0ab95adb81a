"""What the engine is told and says of slow clients and idle connections; their keys are in engine-protocol.md."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta


class BesideKind(StrEnum):
    """Which connections are there beside the fast ones; the values are keys of the engine's plan and lines."""

    SLOW = "slow_clients"
    IDLE = "idle_connections"

    @property
    def words(self) -> str:
        """`slow clients`."""
        return self.value.replace("_", " ")


class EngineSlowClients(msgspec.Struct):
    """Connections that read and write at a given rate."""

    number: int
    bytes_per_s: int


class EngineIdleConnections(msgspec.Struct):
    """Connections that are kept open, each asking once in so long."""

    number: int
    every_ns: int


class BesideSlice(msgspec.Struct):
    """A slice of an arm's slow clients or idle connections."""

    answers: Annotated[int, Meta(description="correct answers")]
    sent: Annotated[int, Meta(description="requests sent")]
    errors: Annotated[dict[str, int], Meta(description="by kind, as of the fast connections")]
    reconnects: Annotated[int, Meta(description="connections opened again without an error: the server closed them")]
    received_bytes: Annotated[int, Meta(description="heads included")]
    cpu_ns: Annotated[int, Meta(description="CPU time of their thread; within `generator_cpu_ns`")]


class BesideTotals(msgspec.Struct):
    """The accounts of an arm's slow clients or idle connections over the whole block, and their histograms."""

    number: Annotated[int, Meta(description="how many the arm was to have")]
    established: Annotated[int, Meta(description="connections open at the end")]
    due: Annotated[int, Meta(description="requests that were due: sent and not sent")]
    sent: Annotated[int, Meta(description="requests; warm-up and drain are included, as in all counts here")]
    not_sent: Annotated[int, Meta(description="requests of idle connections that were due and never sent")]
    answers: Annotated[int, Meta(description="correct ones")]
    compared: Annotated[int, Meta(description="answers whose every byte was compared")]
    in_flight: Annotated[int, Meta(description="sent and still not answered at the end")]
    opened: Annotated[int, Meta(description="connections opened, the first time and again")]
    reconnects: Annotated[int, Meta(description="connections opened again without an error: the server closed them")]
    errors: Annotated[dict[str, int], Meta(description="by kind, as of the fast connections")]
    time: Annotated[
        str,
        Meta(
            description="histogram of correct answers in slices: of slow clients from sending, of idle connections from"
            " the intended start"
        ),
    ]
    unanswered: Annotated[str, Meta(description="histogram of the ages, since then, of those without an answer")]
