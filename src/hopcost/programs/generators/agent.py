"""The agent on the stacks' machine: its order, its lines, and what the engine's lines have of it.

docs/reference/agent-protocol.md describes them; the structures here are that description, strict.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.programs.generators.engine_plan import EngineHop


class AgentArm(msgspec.Struct):
    """What freezes an arm, and where its hops' CPU time is read; the plan on G names it by its place in the order."""

    name: str
    freeze: dict[str, object] | None
    hops: list[EngineHop]


class AgentOrder(msgspec.Struct):
    """One line on the agent's standard input."""

    address: str
    ca_file: str
    cert_file: str
    key_file: str
    generators: list[str]
    leader: str
    arms: list[AgentArm]
    followers: list[str] = []  # of the generators: they make one load with the leader
    builds: str = "same"  # or `any`: the engine's binary may have another digest


class Listening(msgspec.Struct, tag_field="kind", tag="listening"):
    """Leaders may come."""

    address: str
    version: str
    sha256: str
    protocol: int
    scheduling: str


class LeaderCame(msgspec.Struct, tag_field="kind", tag="leader"):
    """A leader is accepted."""

    name: str
    peer: str


class FollowerCame(msgspec.Struct, tag_field="kind", tag="follower"):
    """One that makes the same load with the leader is accepted."""

    name: str
    peer: str


class Refused(msgspec.Struct, tag_field="kind", tag="refused"):
    """Somebody is refused."""

    peer: str
    error: str
    message: str


class LeaderLeft(msgspec.Struct, tag_field="kind", tag="left"):
    """The leader said `bye`."""

    name: str


class AgentEnded(msgspec.Struct, tag_field="kind", tag="end"):
    """Its last line."""

    reason: str
    message: str


AgentLine = Listening | LeaderCame | FollowerCame | Refused | LeaderLeft | AgentEnded


class AgentAtStart(msgspec.Struct):
    """The agent as the engine met it."""

    address: Annotated[str, Meta(description="where it listened")]
    version: Annotated[str, Meta(description="its version")]
    sha256: Annotated[str, Meta(description="the digest of its binary")]
    scheduling: Annotated[str, Meta(description="`fifo`: its timer has real-time priority; `other`: it has not")]
    lease_ns: Annotated[int, Meta(description="how long the engine may be silent")]


class ClockExchange(msgspec.Struct):
    """The exchange of least round trip at an edge of a slice: what the two machines' clocks say of each other."""

    offset_ns: Annotated[int, Meta(description="the stacks' clock less the generator's")]
    bound_ns: Annotated[int, Meta(description="the offset's error is at most this")]
    round_trip_ns: Annotated[int, Meta(description="from the message to its answer")]


class AgentEdges(msgspec.Struct):
    """The edges of a slice that an agent set on the stacks' machine."""

    thaw: Annotated[ClockExchange, Meta(description="the clocks at its beginning")]
    freeze: Annotated[ClockExchange, Meta(description="the clocks at its end")]
    late_ns: Annotated[
        int | None, Meta(description="by how much the agent's timer was late; null if the generator said when")
    ]
    read_on_ns: Annotated[int, Meta(description="how long answers were read after the arm was frozen")]
