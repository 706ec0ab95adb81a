"""The load generator ab, the Apache benchmark."""

from __future__ import annotations

import re

from hopcost.programs.generators.peers.peer import Counts, Peer, PeerLoad, elapsed_ns_in, figure_in, number_in


def words(load: PeerLoad) -> list[str]:
    """The words behind its name on the command line."""
    # -t alone would stop at 50,000 requests; ab keeps one entry per request of -n, so that is bounded too.
    ends = (
        ["-n", str(load.requests)]
        if load.seconds is None
        else ["-t", str(load.seconds), "-n", str(200_000 * load.seconds)]
    )
    keep = ["-k"] if load.keep_alive else []
    return ["-q", *keep, "-c", str(load.connections), *ends, *load.header_words, *load.options, load.url]


def counts(text: str) -> Counts:
    """ab's text."""
    failed = number_in(r"Failed requests:\s+(\d+)", text)
    wrong = number_in(r"Non-2xx responses:\s+(\d+)", text, 0)
    words = {"connect": "Connect", "read": "Receive", "body": "Length", "protocol": "Exceptions"}
    kinds = {kind: number_in(rf"{word}: (\d+)", text, 0) for kind, word in words.items()}
    kinds["status"] = wrong
    latency, kept = {}, r"Keep-Alive requests:\s+(\d+)"
    if (mean := figure_in(r"Time per request:\s+([\d.]+) \[ms\] \(mean\)", text)) is not None:
        latency["mean"] = mean
    for share, value in re.findall(r"(?m)^ +(\d+)% +(\d+)", text):
        latency["max" if share == "100" else f"p{share}"] = float(value)
    return Counts(
        answers=number_in(r"Complete requests:\s+(\d+)", text) - failed - wrong,
        errors=failed + wrong,
        kinds=kinds,
        elapsed_ns=elapsed_ns_in(r"Time taken for tests:\s+([\d.]+) s", text, "s"),
        throughput_per_s=figure_in(r"Requests per second:\s+([\d.]+)", text),
        latency_ms=latency,
        kept_alive=number_in(kept, text) if re.search(kept, text) else None,
    )


AB = Peer(
    name="ab",
    executable="ab",
    version_command=["-V"],
    version_pattern=r"Version (\S+)",
    install="apt-get install apache2-utils",
    times="Time per request: connecting included where a request had to; quantiles in whole milliseconds",
    words=words,
    counts=counts,
    speaks_http_1_0=True,
)
