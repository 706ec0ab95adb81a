"""Our engine as a load generator like the others: `hopcost-engine load`."""

from __future__ import annotations

import json
from pathlib import Path

from hopcost.programs.generators.peers.peer import Counts, Peer, PeerLoad

TIMES = "service time: request handed to the kernel → last byte of the answer read, every byte compared"


def our_engine(executable: Path, name: str) -> Peer:
    """The engine at this path under a name."""
    return Peer(
        name=name,
        executable=str(executable),
        version_command=["--version"],
        version_pattern=r"hopcost-engine (\S+)",
        install="make setup",
        times=TIMES,
        words=words,
        counts=counts,
        exit_codes=(0, 4),  # 4: the run calls itself suspect, for steal perhaps, which here all share
    )


def words(load: PeerLoad) -> list[str]:
    """Our engine as a load generator like any other."""
    close = [] if load.keep_alive else ["--requests-per-connection", "1"]
    timeout = [] if load.timeout_s is None else ["-T", f"{load.timeout_s}s"]
    ends = ["-t", str(min(load.threads, load.connections)), "-c", str(load.connections), "-d", f"{load.seconds}s"]
    trusting = ["--insecure"] if load.url.startswith("https:") else []
    return ["load", "--json", "--quiet", *ends, *timeout, *load.header_words, *close, *trusting, load.url]


def counts(text: str) -> Counts:
    """What `hopcost-engine load --json` says."""
    content = json.loads(text)
    times = content.get("service_time_ns") or {}
    return Counts(
        answers=content["answers"],
        errors=sum(content["errors"].values()),
        own_cpu_ns=content.get("generator_cpu_ns"),
        kinds=content["errors"],
        elapsed_ns=content.get("elapsed_ns"),
        throughput_per_s=content.get("throughput_per_s"),
        latency_ms={name: times[name] / 1e6 for name in ("mean", "p50", "p90", "p99", "max") if times.get(name)},
    )
