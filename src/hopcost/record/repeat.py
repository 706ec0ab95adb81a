"""What one block, or one repeat of an article's protocol, leaves in the record: the structures of its lines."""

from __future__ import annotations

import msgspec

from hopcost.record.evidence import CheckedAnswer, Memory, Surroundings, TimeWait


class PeerRun(msgspec.Struct):
    """One run of another load generator: its own counts out of its own output, and what the harness read beside it.

    Answers have a 2xx status; `throughput_per_s` and `latency_ms` are as it printed them, errors among them or not.
    `kept_alive` are answers after which the connection was kept, where the tool counts them.
    """

    peer: str
    version: str
    command: list[str]
    answers: int
    errors: dict[str, int]
    elapsed_ns: int
    wall_ns: int
    generator_cpu_ns: int
    cpu_ns: dict[str, int | None]
    throughput_per_s: float | None
    latency_ms: dict[str, float]
    output: str
    kept_alive: int | None = None


class Repeat(msgspec.Struct):
    """One repeat of the article's own protocol (`--as-published`): what ran, or why it failed.

    `requests` or `duration_s` are as run here; the protocol in the plan has the published ones.
    """

    experiment: str
    arm: str
    number: int
    connections: int
    requests: int | None
    duration_s: int | None
    run: PeerRun | None
    failure: str | None
    check: CheckedAnswer | None = None
    surroundings: Surroundings | None = None
    memory: dict[str, Memory] = {}
    time_wait: list[TimeWait] = []
