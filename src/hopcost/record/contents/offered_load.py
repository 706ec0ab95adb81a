"""An offered load of a block: what an arm did under it, and why one does not count."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.programs.generators.engine_lines import ArmTotals, Slice, WarmedUp


class OpenLoad(msgspec.Struct):
    """One arm under an offered load."""

    share: Annotated[float, Meta(description="of the slowest arm's throughput")]
    rate_per_s: Annotated[
        float, Meta(description="requests per second offered to every arm; Poisson arrivals, the same for all")
    ]
    warm_up: Annotated[WarmedUp, Meta(description="the engine's line")]
    slices: Annotated[
        list[Slice], Meta(description="the engine's lines, in the order in which they ran; each was drained")
    ]
    totals: Annotated[ArmTotals, Meta(description="the engine's line, with the response times")]

    def of_slice(self, piece: Slice) -> OpenLoad:
        """The load with this slice alone and its response times; the other totals are still those of all slices."""
        totals = msgspec.structs.replace(
            self.totals, response_time=piece.response_time, response_unanswered=piece.response_unanswered
        )
        return msgspec.structs.replace(self, slices=[piece], totals=totals)


class LoadFaultKind(StrEnum):
    """Why an offered load does not count in a block; none of it is an arm's own."""

    SATURATED = "saturated"
    LATE = "late"
    NOT_SENT = "not_sent"
    STALLED = "stalled"


class LoadFault(msgspec.Struct, frozen=True):
    """What went wrong under an offered load, in one arm's slices."""

    arm: Annotated[str, Meta(description="in whose slices it was seen")]
    kind: Annotated[
        LoadFaultKind,
        Meta(
            description="`saturated`: the generator's cores were full; `late`: requests were sent late though a"
            " connection was free; `not_sent`: they were not sent though the stack was idle; `stalled`: something"
            " stood still in single slices"
        ),
    ]
    extent: Annotated[
        float | None,
        Meta(description="share of the generator's cores that was busy, or of the requests; null of a stall"),
    ] = None
    machine: Annotated[
        str | None, Meta(description="of several generators: the machine of the worst one; else null")
    ] = None


class VoidLoad(msgspec.Struct):
    """An offered load that counts for no arm of the block; its closed loop and its other loads do."""

    share: Annotated[float, Meta(description="of the load, as in `open_loop`")]
    rate_per_s: Annotated[float, Meta(description="of the load, as in `open_loop`")]
    faults: Annotated[list[LoadFault], Meta(description="why, by arm")]
