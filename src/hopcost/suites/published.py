"""What an article printed, and by which protocol it measured: data of a suite, never a result of ours."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Value = int | float | str | bool  # of a sweep
PeerName = Literal["wrk", "ab", "h2load", "oha", "hey"]


class Published(msgspec.Struct, forbid_unknown_fields=True):
    """An arm's figures as an article printed them, under the article's conditions.

    `errored` is for an article that printed the word "error", in place of a figure or beside it, and no count.
    """

    arm: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    at: Value | None = None
    throughput_per_s: Annotated[float, msgspec.Meta(gt=0)] | None = None
    errored: bool = False
    errors: dict[str, int] = {}
    cpu_percent: Annotated[float, msgspec.Meta(ge=0)] | None = None
    transfer_bytes_per_s: Annotated[float, msgspec.Meta(gt=0)] | None = None
    latency_mean_ms: float | None = None
    latency_stdev_ms: float | None = None
    latency_max_ms: float | None = None
    latency_quantiles_ms: dict[str, float] = {}
    requests: int | None = None
    duration_s: float | None = None

    @property
    def has_errors(self) -> bool:
        """Whether the article printed an error, counted or not."""
        return self.errored or any(self.errors.values())


class Protocol(msgspec.Struct, forbid_unknown_fields=True):
    """How the article measured, for `--as-published`: its tool, connections, repeats.

    Either `requests` or `duration_s` ends a repeat. `connections` is the workload's where it is absent, and so are
    header fields and whether connections are kept.
    """

    peer: PeerName
    threads: Annotated[int, msgspec.Meta(ge=1)] = 1
    connections: Annotated[int, msgspec.Meta(ge=1)] | None = None
    requests: Annotated[int, msgspec.Meta(ge=1)] | None = None
    duration_s: Annotated[int, msgspec.Meta(ge=1)] | None = None
    repeats: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1
    options: list[str] = []


def quantile(name: str) -> float | None:
    """The share that a quantile's name means; None for another word.

    >>> quantile("p99.9"), quantile("median")
    (0.9990000000000001, None)
    """
    try:
        share = float(name.removeprefix("p")) / 100
    except ValueError:
        return None
    return share if name.startswith("p") and 0 < share < 1 else None


def same(one: object, other: object) -> bool:
    """Whether two values of a file are the same: 1 and true are not."""
    return type(one) is type(other) and one == other


def label(value: object) -> str:
    """A value as it stands in a point's name: of a path its last part.

    >>> label(1000), label(True), label(0.5), label("least_conn"), label("/files/1k")
    ('1000', 'true', '0.5', 'least_conn', '1k')
    """
    return str(value).lower() if isinstance(value, bool) else str(value).rpartition("/")[2]
