"""The load generator oha."""

from __future__ import annotations

import json

from hopcost.programs.generators.peers.peer import Counts, Peer, PeerLoad


def words(load: PeerLoad) -> list[str]:
    """The words behind its name on the command line."""
    ends = ["-n", str(load.requests)] if load.seconds is None else ["-z", f"{load.seconds}s"]
    close = [] if load.keep_alive else ["--disable-keepalive"]
    quiet = ["--no-tui", "--output-format", "json", "--disable-compression"]  # it would ask for gzip by itself
    trusting = ["--insecure"] if load.url.startswith("https:") else []
    return [*quiet, "-c", str(load.connections), *ends, *load.header_words, *close, *trusting, *load.options, load.url]


def counts(text: str) -> Counts:
    """oha's JSON; what its deadline cut off is neither answer nor error."""
    content = json.loads(text)
    statuses, problems = content["statusCodeDistribution"], content["errorDistribution"]
    answers = sum(count for status, count in statuses.items() if status.startswith("2"))
    everything = sum(statuses.values()) + sum(problems.values())
    aborted = problems.get("aborted due to deadline", 0)
    wrong = sum(statuses.values()) - answers
    summary, quantiles = content.get("summary", {}), content.get("latencyPercentiles", {})
    latency = {name: value * 1e3 for name, value in quantiles.items() if value is not None}
    if summary.get("average") is not None:
        latency["mean"], latency["max"] = summary["average"] * 1e3, summary["slowest"] * 1e3
    return Counts(
        answers=answers,
        errors=everything - answers - aborted,
        kinds={"status": wrong, "read": everything - answers - aborted - wrong},
        elapsed_ns=round(summary["total"] * 1e9) if "total" in summary else None,
        throughput_per_s=summary.get("requestsPerSec"),
        latency_ms=latency,
    )


OHA = Peer(
    name="oha",
    executable="oha",
    version_command=["--version"],
    version_pattern=r"oha (\S+)",
    install="cargo install oha",
    times="response time; connecting included in the first on a connection",
    words=words,
    counts=counts,
)
