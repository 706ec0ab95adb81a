"""What an article printed, and by which protocol it measured: data of a suite, never a result of ours."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import Name
from hopcost.suites.peer_name import PeerName

Value = int | float | str | bool  # of a sweep


class Published(msgspec.Struct, forbid_unknown_fields=True):
    """An arm's figures as an article printed them, under the article's conditions."""

    arm: Annotated[Name, Meta(description="one of the experiment's arms")]
    at: Annotated[
        Value | None,
        Meta(
            description="the value of the sweep that the figures belong to; required in a sweep, forbidden without one"
        ),
    ] = None
    throughput_per_s: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="requests per second as printed; absent only if the article printed an error"),
    ] = None
    errored: Annotated[
        bool, Meta(description="the article printed an error without a count, in place of the figure or beside it")
    ] = False
    errors: Annotated[dict[str, int], Meta(description="errors as printed, by kind in the article's words")] = {}
    cpu_percent: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="CPU use of the server's machine in per cent, as printed")
    ] = None
    transfer_bytes_per_s: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="bytes per second, as printed")
    ] = None
    latency_mean_ms: Annotated[float | None, Meta(description="mean latency as printed")] = None
    latency_stdev_ms: Annotated[float | None, Meta(description="its standard deviation as printed")] = None
    latency_max_ms: Annotated[float | None, Meta(description="the longest as printed")] = None
    latency_quantiles_ms: Annotated[dict[str, float], Meta(description="`{ p50 = 1.2, p99 = 8 }`, as printed")] = {}
    requests: Annotated[int | None, Meta(description="requests in all")] = None
    duration_s: Annotated[float | None, Meta(description="how long it ran")] = None

    @property
    def has_errors(self) -> bool:
        """Whether the article printed an error, counted or not."""
        return self.errored or any(self.errors.values())


class Protocol(msgspec.Struct, forbid_unknown_fields=True):
    """How the article measured, for `--as-published`: its tool, connections, repeats.

    Either `requests` or `duration_s` ends a repeat. `connections` is the workload's if it is absent, and so are
    header fields and whether connections are kept.
    """

    peer: Annotated[PeerName, Meta(description="the tool")]
    threads: Annotated[int, Meta(ge=1, description="of the tool, if it has any")] = 1
    connections: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="connections; absent: those of the workload (of the point, in a sweep)"),
    ] = None
    requests: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="requests of a repeat")] = None
    duration_s: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="or its length")] = None
    repeats: Annotated[int, Meta(ge=1, le=100, description="how often each arm was measured")] = 1
    options: Annotated[list[str], Meta(description="more words for the tool's command line, before the URL")] = []


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


def same(value: object, other: object) -> bool:
    """Whether two values of a file are the same: 1 and true are not."""
    return type(value) is type(other) and value == other


def label(value: object) -> str:
    """A value as it stands in a point's name: of a path its last part.

    >>> label(1000), label(True), label(0.5), label("least_conn"), label("/files/1k")
    ('1000', 'true', '0.5', 'least_conn', '1k')
    """
    return str(value).lower() if isinstance(value, bool) else str(value).rpartition("/")[2]
