"""The load generator h2load of nghttp2, with HTTP/1.1."""

from __future__ import annotations

import re

from hopcost.programs.generators.peers.peer import (
    Counts,
    Peer,
    PeerLoad,
    elapsed_ns_in,
    figure_in,
    milliseconds,
    number_in,
)


def words(load: PeerLoad) -> list[str]:
    """The words behind its name on the command line."""
    ends = ["-n", str(load.requests)] if load.seconds is None else ["-D", str(load.seconds)]
    fields = [f"--header={name}: {value}" for name, value in load.headers]
    threads = ["-t", str(min(load.threads, load.connections))]
    return ["--h1", *threads, "-c", str(load.connections), *ends, *fields, *load.options, load.url]


def counts(text: str) -> Counts:
    """h2load's text."""
    succeeded = number_in(r"status codes: (\d+) 2xx", text)
    failed, timeouts = number_in(r"(\d+) failed", text), number_in(r"(\d+) timeout", text, 0)
    statuses = re.search(r"(\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text)
    wrong = sum(int(number) for number in statuses.groups()) if statuses is not None else 0
    kinds = {"status": wrong, "timeout": timeouts, "read": max(0, failed - wrong - timeouts)}
    latency = {}
    if (line := re.search(r"time for request: +(\S+) +(\S+) +(\S+) +(\S+)", text)) is not None:
        latency = {"mean": milliseconds(line[3]), "stdev": milliseconds(line[4]), "max": milliseconds(line[2])}
    return Counts(
        answers=succeeded,
        errors=failed,
        kinds=kinds,
        elapsed_ns=elapsed_ns_in(r"finished in ([\d.]+[a-z]+)", text),
        throughput_per_s=figure_in(r"finished in \S+, ([\d.]+) req/s", text),
        latency_ms=latency,
    )


H2LOAD = Peer(
    name="h2load",
    executable="h2load",
    version_command=["--version"],
    version_pattern=r"h2load nghttp2/(\S+)",
    install="apt-get install nghttp2-client",
    times="time for request: sent → stream closed; it prints no quantiles",
    words=words,
    counts=counts,
    opens_one_per_request=False,
)
