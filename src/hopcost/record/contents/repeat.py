"""What one repeat of an article's protocol leaves in the record: the structures of a line of repeats.jsonl."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.record.contents.evidence import CheckedAnswer, Memory, Surroundings, TimeWait


class PeerRun(msgspec.Struct):
    """One run of another load generator: its own counts out of its own output, and what the harness read beside it."""

    peer: Annotated[str, Meta(description="its name")]
    version: Annotated[str, Meta(description="as it prints it")]
    command: Annotated[list[str], Meta(description="its command line")]
    answers: Annotated[int, Meta(description="with a 2xx status, by its own count")]
    errors: Annotated[dict[str, int], Meta(description="by kind, in its own words")]
    elapsed_ns: Annotated[int, Meta(description="as it prints it; else `wall_ns`")]
    wall_ns: Annotated[int, Meta(description="from its start to its end")]
    generator_cpu_ns: Annotated[int, Meta(description="CPU time of its process and its children")]
    cpu_ns: Annotated[dict[str, int | None], Meta(description="by hop, while it ran")]
    throughput_per_s: Annotated[float | None, Meta(description="as it prints it, errors among it or not")]
    latency_ms: Annotated[dict[str, float], Meta(description="as it prints it, under its own names")]
    output: Annotated[str, Meta(description="all that it wrote")]
    kept_alive: Annotated[
        int | None, Meta(description="answers after which the connection was kept; null if it does not count them")
    ] = None


class Repeat(msgspec.Struct):
    """One repeat of the article's own protocol (`--as-published`). The plan's protocol has the published numbers."""

    experiment: Annotated[str, Meta(description="its name")]
    arm: Annotated[str, Meta(description="its name")]
    number: Annotated[int, Meta(description="from 0")]
    connections: Annotated[int, Meta(description="as run here")]
    requests: Annotated[int | None, Meta(description="as run here; null if time ends it")]
    duration_s: Annotated[int | None, Meta(description="as run here; null if a number of requests ends it")]
    run: Annotated[PeerRun | None, Meta(description="null if it failed")]
    failure: Annotated[str | None, Meta(description="why")]
    check: Annotated[CheckedAnswer | None, Meta(description="what the arm answered before load")] = None
    surroundings: Annotated[Surroundings | None, Meta(description="what the stack ran in; null if it failed")] = None
    memory: Annotated[
        dict[str, Memory],
        Meta(description="by hop, after the repeat; the stack is the same in all of an arm's repeats"),
    ] = {}
    time_wait: Annotated[
        list[TimeWait],
        Meta(description="connections in TIME_WAIT after the repeat, by link; the tool has closed its own by then"),
    ] = []
