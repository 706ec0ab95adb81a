"""What another load generator is: how it is called, and how its own figures are read."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed


class Counts(msgspec.Struct, frozen=True):
    """What a generator says it saw: correct answers, and everything else that it noticed.

    `own_cpu_ns` is its CPU time while load ran, without opening connections before. `kinds` are its errors by our words
    for them, `elapsed_ns` and `throughput_per_s` what it prints of time and rate (errors may be in the rate),
    `latency_ms` its mean, its longest and quantiles, `kept_alive` answers after which a connection was kept. None if
    it does not say.
    """

    answers: int
    errors: int
    own_cpu_ns: int | None = None
    kinds: dict[str, int] = {}
    elapsed_ns: int | None = None
    throughput_per_s: float | None = None
    latency_ms: dict[str, float] = {}
    kept_alive: int | None = None


class PeerLoad(msgspec.Struct, frozen=True):
    """What a peer is to do: either `seconds` or `requests` ends it. `connections` at once; kept, or one per request."""

    url: str
    connections: int
    seconds: int | None = None
    requests: int | None = None
    threads: int = 1
    headers: list[tuple[str, str]] = []
    keep_alive: bool = True
    options: list[str] = []
    timeout_s: int | None = None  # None: the tool's own

    @property
    def header_words(self) -> list[str]:
        """`-H "name: value"` for each header field."""
        return [word for name, value in self.headers for word in ("-H", f"{name}: {value}")]


class Peer(msgspec.Struct, frozen=True):
    """A load generator.

    `version_pattern` finds the version in what `version_command` prints, `install` says how to get it. `words` are
    those behind its name on the command line, `counts` reads its output, `times` says what its times are of.
    """

    name: str
    executable: str
    version_command: list[str]
    version_pattern: str
    install: str
    times: str
    words: Callable[[PeerLoad], list[str]]
    counts: Callable[[str], Counts]
    exit_codes: tuple[int, ...] = (0,)
    opens_one_per_request: bool = True
    speaks_http_1_0: bool = False

    def refuse_unable(self, requests_per_connection: int | None, *, accepts_gzip: bool) -> None:
        """CannotMeasure if the peer cannot send so many requests per connection (None: all on one), or get gzip."""
        if accepts_gzip and self.speaks_http_1_0:
            raise CannotMeasure(
                f"{self.name} speaks HTTP/1.0, to which nginx sends nothing compressed", "take another generator"
            )
        if requests_per_connection is None:
            return
        if requests_per_connection > 1:
            raise CannotMeasure(
                f"{self.name} does not close connections after {requests_per_connection} requests: after all or none",
                "leave --generator out: hopcost's own engine does",
            )
        if not self.opens_one_per_request:
            raise CannotMeasure(
                f"{self.name} opens no connection for each request", "leave --generator out: hopcost's own engine does"
            )


def milliseconds(text: str) -> float:
    """`1.5ms`, `267us`, `2.00s`, `1.00m` in ms."""
    match = re.fullmatch(r"([\d.]+)([a-z]*)", text)
    scale = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3, "h": 3600e3}
    if match is None or match[2] not in scale:
        raise MeasurementFailed(f"no time: '{text}'")
    return float(match[1]) * scale[match[2]]


def elapsed_ns_in(pattern: str, text: str, unit: str = "") -> int | None:
    match = re.search(pattern, text)
    return None if match is None else round(milliseconds(match[1] + unit) * 1e6)


def figure_in(pattern: str, text: str) -> float | None:
    match = re.search(pattern, text)
    return None if match is None else float(match[1])


def number_in(pattern: str, text: str, absent: int | None = None) -> int:
    match = re.search(pattern, text)
    if match is not None:
        return int(match[1])
    if absent is None:
        raise MeasurementFailed(f"no '{pattern}' in the generator's output:\n{text.strip()[-500:]}")
    return absent
