"""The lines that the load engine answers with.

docs/reference/engine-protocol.md describes them; the structures here are that description, strict. They know no
statistics.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.programs.generators.agent import AgentAtStart, AgentEdges
from hopcost.programs.generators.beside import BesideSlice, BesideTotals
from hopcost.programs.generators.generator_slice import GeneratorSlice
from hopcost.programs.generators.server_faults import ServerFault

ErrorsByKind = Annotated[
    dict[str, int],
    Meta(description="error kind, one of `connect`, `tls`, `write`, `read`, `protocol`, `status`, `body`, `timeout`"),
]


class Validity(StrEnum):
    """Whether what was measured counts, from best to worst."""

    VALID = "valid"
    SUSPECT = "suspect"
    VOID = "void"

    @staticmethod
    def worst(validities: Iterable[Validity]) -> Validity:
        """The worst of them; valid if there is none."""
        return max(validities, key=list(Validity).index, default=Validity.VALID)


class Start(msgspec.Struct, tag_field="kind", tag="start"):
    """The engine has read its plan."""

    version: Annotated[str, Meta(description="the engine's")]
    io: Annotated[str, Meta(description="`uring` or `epoll`")]
    batch: Annotated[int, Meta(description="completions waited for before acting; 1 is no batching")]
    cores: Annotated[list[int], Meta(description="one thread on each")]
    compared_one_in: Annotated[
        int, Meta(description="of bodies above 64 KiB, the bytes of one answer in this many are compared")
    ]
    agent: Annotated[
        AgentAtStart | None, Meta(description="the agent on the stacks' machine; null if that is the generator's too")
    ] = None


class Opening(msgspec.Struct, tag_field="kind", tag="opening"):
    """An arm's connections are being opened, before any request; once a second, and when that is done."""

    arm: str
    elapsed_ns: int
    connections: int
    established: int
    done: bool
    errors: dict[str, int]


class WarmedUp(msgspec.Struct, tag_field="kind", tag="warm_up"):
    """An arm has been warmed up."""

    arm: Annotated[str, Meta(description="its name")]
    elapsed_ns: Annotated[int, Meta(description="on the arm's clock")]
    plateau: Annotated[
        bool, Meta(description="whether all connections were open and throughput rose no more, before time was up")
    ]
    answers: Annotated[list[int], Meta(description="correct answers per slice")]
    errors: ErrorsByKind
    slices_elapsed_ns: Annotated[list[int], Meta(description="the same slices' length on the arm's clock")] = []
    cpu_ns: Annotated[
        list[int | None], Meta(description="CPU time of all hops in each; null if that of one is not known")
    ] = []


class Slice(msgspec.Struct, tag_field="kind", tag="slice"):
    """An uninterrupted stretch of load on one arm; docs/reference/engine-protocol.md says what each key counts.

    The sum of `in_flight_ns` less `aged_ns` over all slices is the sum of the service times.
    """

    arm: Annotated[str, Meta(description="its name")]
    round: Annotated[int, Meta(description="from 0")]
    place: Annotated[int, Meta(description="position in the round, from 0")]
    start_ns: Annotated[int, Meta(description="CLOCK_MONOTONIC at the thaw")]
    elapsed_ns: Annotated[int, Meta(description="thaw to frozen: the arm's own time")]
    freeze_ns: Annotated[int, Meta(description="how long the freezing took; within `elapsed_ns`")]
    frozen_ns: Annotated[
        int | None,
        Meta(description="since the arm's previous slice ended, warm-up slices included; null if there was none"),
    ]
    answers: Annotated[int, Meta(description="correct answers")]
    sent: Annotated[int, Meta(description="requests sent")]
    errors: ErrorsByKind
    reconnects: Annotated[int, Meta(description="connections opened again without an error")]
    received_bytes: Annotated[int, Meta(description="heads included, without what TLS adds")]
    cpu_ns: Annotated[
        dict[str, int | None], Meta(description="by hop, thaw to frozen; null if a process of the hop was gone")
    ]
    cpu_outside_ns: Annotated[
        dict[str, int | None],
        Meta(description="by hop, from the end of the arm's previous slice until it was touched again"),
    ]
    generator_cpu_ns: Annotated[int, Meta(description="of the engine's process, thaw to frozen")]
    due: Annotated[
        int | None, Meta(description="requests that were due: sent and not sent; in the closed loop those sent")
    ] = None
    cpu_settling_ns: Annotated[
        dict[str, int | None],
        Meta(
            description="by hop, from there to the thaw: connections opened anew, and the load that settles the arm;"
            " and of closing connections behind the slice; empty in older records"
        ),
    ] = {}
    process_cpu_ns: Annotated[
        dict[str, list[int]] | None,
        Meta(
            description="of an arm whose connections are opened anew in each round: by hop with several processes, CPU"
            " time of each, thaw to frozen; the first is the one that started the others. Null for other arms"
        ),
    ] = None
    not_sent: Annotated[int | None, Meta(description="requests of an open loop that were due and never sent")] = None
    drain_ns: Annotated[
        int | None, Meta(description="how long an open loop was drained, within `elapsed_ns`; null in the closed loop")
    ] = None
    spin_ns: Annotated[
        int | None, Meta(description="CPU time of polling for the next due request in vain; within `generator_cpu_ns`")
    ] = None
    late: Annotated[
        int | None, Meta(description="requests of an open loop sent more than 1 ms late though a connection was free")
    ] = None
    in_flight_ns: Annotated[
        int | None, Meta(description="requests in flight, added up over the arm's time: of two for 3 ns it is 6")
    ] = None
    run_delay_ns: Annotated[
        int | None,
        Meta(
            description="time that the engine's threads were ready to run and waited for a core; null if the kernel "
            "does not say"
        ),
    ] = None
    sent_bytes: Annotated[
        int | None, Meta(description="heads included, without what TLS adds; null in older records")
    ] = None
    aged_ns: Annotated[
        int | None, Meta(description="sum of the ages of the requests in flight at its end, less that at its beginning")
    ] = None
    response_time: Annotated[
        str | None, Meta(description="histogram from the intended start, of correct answers; null in the closed loop")
    ] = None
    response_unanswered: Annotated[
        str | None,
        Meta(
            description="the ages, since the intended start, of those timed out, in flight after the drain or never "
            "sent; null without any"
        ),
    ] = None
    slow_clients: Annotated[
        BesideSlice | None, Meta(description="of the slow clients beside; null if there are none")
    ] = None
    idle_connections: Annotated[
        BesideSlice | None, Meta(description="of the idle connections beside; null if there are none")
    ] = None
    agent: Annotated[
        AgentEdges | None, Meta(description="its edges, if an agent set them on the stacks' machine; else null")
    ] = None
    generators: Annotated[
        list[GeneratorSlice],
        Meta(description="what each of several generators did, which the counts here sum up; empty if there was one"),
    ] = []


class TlsHandshakes(msgspec.Struct, frozen=True):
    """What TLS handshakes of an arm came to, by the names of IANA; one for each outcome."""

    version: Annotated[str, Meta(description="`TLS 1.2` or `TLS 1.3`")]
    cipher_suite: Annotated[str, Meta(description="as the server chose it")]
    group: Annotated[str | None, Meta(description="of the key exchange; null if a session was resumed without one")]
    handshakes: Annotated[int, Meta(description="how many, warm-up included")]

    def words(self) -> str:
        """`TLS 1.3, TLS13_AES_256_GCM_SHA384, X25519`."""
        return ", ".join(part for part in (self.version, self.cipher_suite, self.group) if part is not None)


class RequestTotals(msgspec.Struct):
    """One request of a mix in the measured slices: accounts, and histograms as those of its arm."""

    request: Annotated[str, Meta(description="its name; `69 others` have one account together")]
    sent: Annotated[int, Meta(description="requests sent")]
    not_sent: Annotated[int, Meta(description="requests of an open loop that were due and never sent")]
    answers: Annotated[int, Meta(description="correct ones")]
    in_flight: Annotated[int, Meta(description="sent and still not answered at the end")]
    errors: Annotated[
        dict[str, int],
        Meta(description="by kind; connections that could not be opened are no request's"),
    ]
    service_time: Annotated[str, Meta(description="histogram of correct answers")]
    unanswered: Annotated[
        str, Meta(description="histogram of the ages, since sending, of those timed out or in flight")
    ]
    response_time: Annotated[
        str | None, Meta(description="histogram from the intended start, of correct answers; null in the closed loop")
    ] = None
    response_unanswered: Annotated[
        str | None, Meta(description="the ages, since the intended start, of those timed out, in flight or never sent")
    ] = None


class ArmTotals(msgspec.Struct, tag_field="kind", tag="arm"):
    """An arm's accounts over the whole block, and its histograms (V2 compressed, base64, ns)."""

    arm: Annotated[str, Meta(description="its name")]
    sent: Annotated[int, Meta(description="requests; warm-up and drain are included, as in all counts here")]
    answers: Annotated[int, Meta(description="correct ones")]
    compared: Annotated[int, Meta(description="answers whose every byte was compared, those under masks apart")]
    in_flight: Annotated[int, Meta(description="sent and still not answered after the drain")]
    established: Annotated[int, Meta(description="connections open at the end")]
    reconnects: Annotated[int, Meta(description="connections opened again without an error")]
    errors: ErrorsByKind
    service_time: Annotated[
        str, Meta(description="histogram of correct answers in slices, those of an open loop with their drains")
    ]
    unanswered: Annotated[
        str, Meta(description="histogram of the ages, since sending, of those timed out or in flight")
    ]
    due: Annotated[int | None, Meta(description="requests that were due: sent and not sent")] = None
    not_sent: Annotated[int | None, Meta(description="requests of an open loop that were due and never sent")] = None
    opened: Annotated[int | None, Meta(description="connections opened, the first time and again")] = None
    response_time: Annotated[
        str | None, Meta(description="histogram from the intended start, of correct answers; null in the closed loop")
    ] = None
    response_unanswered: Annotated[
        str | None, Meta(description="the ages, since the intended start, of those timed out, in flight or never sent")
    ] = None
    send_lag: Annotated[str | None, Meta(description="histogram from the intended start to sending")] = None
    unsent: Annotated[str | None, Meta(description="the ages, since the intended start, of those never sent")] = None
    all_opened: Annotated[
        bool | None, Meta(description="whether every connection has been open; null if the load never began")
    ] = None
    tls: Annotated[list[TlsHandshakes], Meta(description="what its handshakes came to; empty without TLS")] = []
    server_faults: Annotated[list[ServerFault], Meta(description="what its server did against HTTP/2")] = []
    slow_clients: Annotated[
        BesideTotals | None, Meta(description="of the slow clients beside; null if there are none")
    ] = None
    idle_connections: Annotated[
        BesideTotals | None, Meta(description="of the idle connections beside; null if there are none")
    ] = None
    requests: Annotated[list[RequestTotals], Meta(description="of a mix, by request; else empty")] = []


class End(msgspec.Struct, tag_field="kind", tag="end"):
    """The engine's own judgement of the run."""

    elapsed_ns: Annotated[int, Meta(description="since the engine's start")]
    generator_cpu_ns: Annotated[int, Meta(description="of the engine's process, since its start")]
    validity: Annotated[Validity, Meta(description="the engine's own judgement")]
    reasons: Annotated[list[str], Meta(description="why it is not valid, in sentences")]


Line = Start | Opening | WarmedUp | Slice | ArmTotals | End
