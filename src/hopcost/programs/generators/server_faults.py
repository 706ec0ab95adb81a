"""What the engine says that a server did against HTTP/2."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta


class ServerFault(msgspec.Struct, frozen=True):
    """One thing that a server did wrong, with the section of the RFC that says so."""

    what: Annotated[str, Meta(description="in words")]
    rfc: Annotated[str, Meta(description="`RFC 9113` (HTTP/2), `RFC 7541` (HPACK), …")]
    section: Annotated[str, Meta(description="of that RFC")]
    times: Annotated[int, Meta(description="how often, warm-up included")]
    detail: Annotated[
        str | None, Meta(description="the frame, if several can do it, or the error code that the server gave")
    ] = None

    def words(self) -> str:
        """`an answer given up (INTERNAL_ERROR), RFC 9113, section 6.4, 3 times`."""
        detail = f" ({self.detail})" if self.detail else ""
        times = "once" if self.times == 1 else f"{self.times:,} times"
        return f"{self.what}{detail}, {self.rfc}, section {self.section}, {times}"


def sum_faults(faults: Iterable[ServerFault]) -> list[ServerFault]:
    """Each once, the most frequent first."""
    sums: dict[ServerFault, int] = {}
    for fault in faults:
        kind = msgspec.structs.replace(fault, times=0)
        sums[kind] = sums.get(kind, 0) + fault.times
    by_times = sorted(sums.items(), key=lambda entry: -entry[1])
    return [msgspec.structs.replace(kind, times=times) for kind, times in by_times]
