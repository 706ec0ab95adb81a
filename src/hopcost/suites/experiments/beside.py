"""What a workload has beside its fast connections: slow clients and idle connections."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

UNITS_NS = {"ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000}

Number = Annotated[int, Meta(ge=0, le=1 << 20)]


class SlowClients(msgspec.Struct, forbid_unknown_fields=True):
    """Connections that read and write slowly; each asks again as soon as it has its answer."""

    number: Annotated[Number, Meta(description="how many; 0: none, as in a sweep")]
    bytes_per_s: Annotated[
        Annotated[int, Meta(ge=1)], Meta(description="of each, reading and writing: 30000 is a slow mobile line")
    ]


class IdleConnections(msgspec.Struct, forbid_unknown_fields=True):
    """Connections that are kept open and seldom used, one after the other at equal distances."""

    number: Annotated[Number, Meta(description="how many; 0: none, as in a sweep")]
    every: Annotated[
        str,
        Meta(pattern=r"^[1-9][0-9]{0,8}(ms|s|m)$", description="how often each asks: `30s`, `500ms` or `2m`"),
    ]

    @property
    def every_ns(self) -> int:
        """How often each asks, in ns.

        >>> IdleConnections(number=1, every="30s").every_ns, IdleConnections(number=1, every="500ms").every_ns
        (30000000000, 500000000)
        """
        unit = "ms" if self.every.endswith("ms") else self.every[-1]
        return int(self.every.removesuffix(unit)) * UNITS_NS[unit]
