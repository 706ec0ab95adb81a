"""The load generator wrk."""

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
    assert load.seconds is not None, "wrk knows no number of requests: the suite's check says so"
    close = [] if load.keep_alive else ["-H", "Connection: close"]
    ends = ["-t", str(min(load.threads, load.connections)), "-c", str(load.connections), "-d", f"{load.seconds}s"]
    timeout = [] if load.timeout_s is None else ["--timeout", f"{load.timeout_s}s"]
    return [*ends, *timeout, "--latency", *load.header_words, *close, *load.options, load.url]


def counts(text: str) -> Counts:
    """wrk's text; it counts other statuses than 2xx and 3xx as requests too."""
    kinds = {kind: int(number) for kind, number in re.findall(r"(connect|read|write|timeout) (\d+)", text)}
    kinds["status"] = number_in(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    latency = {}
    if (line := re.search(r"Latency +(\S+) +(\S+) +(\S+)", text)) is not None:
        latency = {"mean": milliseconds(line[1]), "stdev": milliseconds(line[2]), "max": milliseconds(line[3])}
    for share, value in re.findall(r"(?m)^ +(\d+)% +([\d.]+[a-z]+)$", text):
        latency[f"p{share}"] = milliseconds(value)
    return Counts(
        answers=number_in(r"(\d+) requests in", text) - kinds["status"],
        errors=sum(kinds.values()),
        kinds=kinds,
        elapsed_ns=elapsed_ns_in(r"requests in ([\d.]+[a-z]+)", text),
        throughput_per_s=figure_in(r"Requests/sec: +([\d.]+)", text),
        latency_ms=latency,
    )


WRK = Peer(
    name="wrk",
    executable="wrk",
    version_command=["-v"],
    version_pattern=r"wrk (?:debian/)?(\S+)",
    install="apt-get install wrk",
    times="Latency: request written → answer parsed, connecting not included; then corrected for coordinated "
    "omission: each time above twice the mean interval is added again, shortened by it, and so on",
    words=words,
    counts=counts,
)
