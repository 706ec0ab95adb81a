"""The load generator hey."""

from __future__ import annotations

import re

from hopcost.errors import MeasurementFailed
from hopcost.programs.generators.peers.peer import Counts, Peer, PeerLoad, elapsed_ns_in, figure_in


def words(load: PeerLoad) -> list[str]:
    """The words behind its name on the command line."""
    ends = ["-n", str(load.requests)] if load.seconds is None else ["-z", f"{load.seconds}s"]
    close = [] if load.keep_alive else ["-disable-keepalive"]
    timeout = [] if load.timeout_s is None else ["-t", str(load.timeout_s)]
    connections = ["-c", str(load.connections)]
    plain = ["-disable-compression"]  # it would ask for gzip by itself, which not all arms answer alike
    return [*ends, *connections, *timeout, *plain, *load.header_words, *close, *load.options, load.url]


def counts(text: str) -> Counts:
    """hey's text."""
    statuses = {int(status): int(number) for status, number in re.findall(r"\[(\d{3})\]\s+(\d+) responses", text)}
    tail = text.partition("Error distribution:")[2]
    broken = sum(int(number) for number in re.findall(r"(?m)^\s+\[(\d+)\]", tail))
    if not statuses and not broken:
        raise MeasurementFailed(f"no counts in the generator's output:\n{text.strip()[-500:]}")
    answers = sum(number for status, number in statuses.items() if 200 <= status < 300)
    wrong = sum(statuses.values()) - answers
    latency = {f"p{share}": float(value) * 1e3 for share, value in re.findall(r"(\d+)% in ([\d.]+) secs", text)}
    for name, word in (("mean", "Average"), ("max", "Slowest")):
        if (value := figure_in(rf"{word}:\s+([\d.]+) secs", text)) is not None:
            latency[name] = value * 1e3
    return Counts(
        answers=answers,
        errors=wrong + broken,
        kinds={"status": wrong, "read": broken},
        elapsed_ns=elapsed_ns_in(r"Total:\s+([\d.]+) secs", text, "s"),
        throughput_per_s=figure_in(r"Requests/sec:\s+([\d.]+)", text),
        latency_ms=latency,
    )


HEY = Peer(
    name="hey",
    executable="hey",
    version_command=["-h"],  # it has no version: that it prints its usage is the receipt
    version_pattern=r"Usage: hey()",
    install="apt-get install hey",
    times="response time: request taken up → body read; connecting included in the first on a connection",
    words=words,
    counts=counts,
)
