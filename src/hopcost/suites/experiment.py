"""What to measure: the suite file, as a strict structure, and its own consistency.

It must not know how programs start or what this machine is; `plan.py` brings those in.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec

from hopcost.suites.arm import Arm, Name, Positive, Settings, SysctlName
from hopcost.suites.published import Protocol, Published, Value

MAX_BODY_BYTES = 64 << 20  # of an upload: the engine is told it whole, and keeps it once

HeaderField = Annotated[list[str], msgspec.Meta(min_length=2, max_length=2)]


class Placement(Enum):
    """Which cores the stack and the generator get; never silently mixed."""

    ONE_CORE = "one-core"
    ALL_CORES = "all-cores"


class Slices(Enum):
    """How arms take turns: finely, all alive and frozen in between, or one alive at a time in one long slice each."""

    INTERLEAVED = "interleaved"
    WHOLE = "whole"


class Method(Enum):
    """What a request does."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"

    @property
    def uploads(self) -> bool:
        """Whether it carries a body."""
        return self is not Method.GET


class Workload(msgspec.Struct, forbid_unknown_fields=True):
    """Requests, connections, load shape."""

    connections: Positive = 64
    target: Annotated[str, msgspec.Meta(pattern=r"^/\S*$")] = "/"
    timeout_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 10
    headers: list[HeaderField] = []
    requests_per_connection: Positive | None = None
    method: Method = Method.GET
    body_bytes: Annotated[int, msgspec.Meta(ge=1, le=MAX_BODY_BYTES)] | None = None

    @property
    def body(self) -> bytes | None:
        """What every request carries: the ten digits over and over."""
        if self.body_bytes is None:
            return None
        return (b"0123456789" * (self.body_bytes // 10 + 1))[: self.body_bytes]

    @property
    def header_fields(self) -> list[tuple[str, str]]:
        """The header fields as pairs."""
        return [(name, value) for name, value in self.headers]


class Soak(msgspec.Struct, forbid_unknown_fields=True):
    """A long run of one arm: about nine tenths of the time on it, short slices of the baseline and its copy between."""

    length_s: Annotated[int, msgspec.Meta(ge=10)]


class Experiment(msgspec.Struct, forbid_unknown_fields=True):
    """A question, its arms, its workload, its baseline.

    `control` is the article's own control group: published ratios are taken to it. `settings` are by program and
    yield to a hop's own. `needs_cores` is what the article's conditions take; with fewer the report says so,
    and why (`needs_cores_because`). `slice_s` is the length of a whole slice in a full run. An experiment
    of `weight` 2 gets twice the time of one of 1: more where a block takes long.
    """

    name: Name
    question: str
    baseline: Name
    arms: Annotated[list[Name], msgspec.Meta(min_length=1)]
    placement: Placement
    workload: Workload = msgspec.field(default_factory=Workload)
    settings: Settings = {}
    needs_cores: Positive = 1
    needs_cores_because: str = ""
    published: list[Published] = []
    published_conditions: str = ""
    control: Name | None = None
    sweep: Sweep | None = None
    slices: Slices = Slices.INTERLEAVED
    slice_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] | None = None
    quick: bool = True
    soak: Soak | None = None
    as_published: Protocol | None = None
    sysctls: dict[SysctlName, int | str] = {}
    open_files: Positive | None = None
    link_mbit_per_s: Positive | None = None
    open_loop: bool = True
    weight: Positive = 1

    def surrounded(self, arm: Arm) -> Arm:
        """The arm with this experiment's sysctls, open files and link where it has none of its own."""
        return msgspec.structs.replace(
            arm,
            sysctls=self.sysctls | arm.sysctls,
            open_files=arm.open_files if arm.open_files is not None else self.open_files,
            link_mbit_per_s=arm.link_mbit_per_s if arm.link_mbit_per_s is not None else self.link_mbit_per_s,
        )


class Sweep(msgspec.Struct, forbid_unknown_fields=True):
    """One key of the experiment over a list of values; each point has its own A/A arm.

    `quick` are the values that `--quick` runs; all of them where it is absent.
    """

    key: str
    values: Annotated[list[Value], msgspec.Meta(min_length=1)]
    quick: list[Value] | None = None
