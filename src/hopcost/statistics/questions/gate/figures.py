"""Which figures decide a gate. Light: the command line's help needs it."""

from __future__ import annotations

from enum import StrEnum

DEFAULT_MARGIN = 0.03


class GateFigures(StrEnum):
    """Throughput in the closed loop, CPU per request there, or both: then each of them must be within the margin."""

    BOTH = "both"
    THROUGHPUT = "throughput"
    CPU = "cpu"
