"""What restarts under load leave in the record: one run of an arm, in which each copy of a program was restarted."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class RestartedCopy(msgspec.Struct, frozen=True):
    """One copy of the program, stopped by SIGTERM and started anew."""

    hop: Annotated[str, Meta(description="its hop's name")]
    stopping_ns: Annotated[int, Meta(description="from SIGTERM until it had ended")]
    starting_ns: Annotated[int, Meta(description="from then until it listened again, with all its processes")]


class RestartRun(msgspec.Struct, frozen=True):
    """An arm whose copies of a program were restarted, one after the other, under an offered load.

    Visitors came one after the other, each on a connection of its own. The engine's figures are of the connections
    that are kept, over the slice in which this happened.
    """

    rate_per_s: Annotated[float, Meta(description="requests per second offered over the kept connections")]
    copies: Annotated[list[RestartedCopy], Meta(description="in the order in which they were restarted")]
    visits: Annotated[int, Meta(description="visitors: about a hundred per second")]
    failed: Annotated[
        dict[str, int],
        Meta(
            description="visits without a right answer, by kind: `refused`, `cut off`, `timeout`, `status` (such as"
            " 502), `other`"
        ),
    ]
    longest_gap_ns: Annotated[int, Meta(description="the longest time without a right answer to any visitor")]
    sent: Annotated[int, Meta(description="requests of the kept connections")]
    answers: Annotated[int, Meta(description="correct ones")]
    errors: Annotated[
        dict[str, int], Meta(description="by kind; `connect` are attempts to open a connection again, of no request")
    ]

    @property
    def broken(self) -> int:
        """Requests of kept connections that were sent and failed."""
        return sum(number for kind, number in self.errors.items() if kind not in ("connect", "tls"))
