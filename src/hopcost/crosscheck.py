"""One running arm under every load generator in turn, ours among them: where their figures agree, and where not.

The stack stays as it is while the generators take turns in rounds of shuffled order, so that a slow minute of the
machine is in all of them; each figure is compared with ours of the same round.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from hopcost import binaries, driven, host, peers, statistics, usage
from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.peers import Load, Peer
from hopcost.stack import RunningStack
from hopcost.statistics import Interval
from hopcost.suite import Workload

OURS = "hopcost"
WARM_UP_S = 2
TIMES = {  # what each calls the time that it prints quantiles of
    OURS: "service time: sent → last byte",
    "wrk": "Latency: request written → answer parsed; of a connection's pipeline, corrected for nothing",
    "ab": "time per request, connecting included; whole milliseconds",
    "h2load": "time for request: sent → stream closed; no quantiles",
    "oha": "response time, connecting included for the first on a connection",
    "hey": "response time, from taking up the request; connecting included",
}


class Reading(msgspec.Struct, frozen=True):
    """One generator in one round: its own counts; CPU time read beside it. ns and ms are its own, None what it lacks."""

    tool: str
    version: str
    round: int
    answers: int
    errors: dict[str, int]
    per_s: float
    p50_ms: float | None
    p99_ms: float | None
    generator_cpu_ns: int
    stack_cpu_ns: int


class Tool(msgspec.Struct, frozen=True):
    """One generator over all rounds; ratios are to ours, round by round, each with a 95 % interval of its own."""

    name: str
    version: str
    per_s: float
    ratio: Interval | None
    p50_ms: tuple[float, float] | None
    p99_ms: tuple[float, float] | None
    time: str
    generator_us: float
    stack_us: float
    stack_ratio: Interval | None
    errors: dict[str, int]


class Crosscheck(msgspec.Struct, frozen=True):
    """All generators that are here; `failed` are those that ended with an error, `missing` those that are not here."""

    arm: str
    connections: int
    rounds: int
    seconds: int
    tools: list[Tool]
    readings: list[Reading]
    failed: dict[str, str]
    missing: dict[str, str]


def run(
    stack: RunningStack, workload: Workload, rounds: int, seconds: int, seed: int, said: Callable[[str], None]
) -> Crosscheck:
    """Rounds of all generators against a running stack; `said` hears of each."""
    url = driven.url_of(stack, workload.target)
    load = driven.to_load(workload, url)
    load = msgspec.structs.replace(load, seconds=seconds, threads=len(stack.prepared.cores.generator))
    tools = {OURS: _ours(), **{name: peer for name, peer in peers.BY_NAME.items() if peer.version() is not None}}
    versions = {name: peer.version() or "" for name, peer in tools.items()}
    order, shuffle = list(tools), random.Random(seed)
    failed: dict[str, str] = {}
    readings: list[Reading] = []
    said(f"warming up for {WARM_UP_S} s")
    _drive(OURS, tools[OURS], msgspec.structs.replace(load, seconds=WARM_UP_S), stack)
    for number in range(rounds):
        shuffle.shuffle(order)
        for name in order:
            if name in failed:
                continue
            said(f"round {number + 1} of {rounds}: {name}")
            try:
                drive, stack_cpu_ns = _drive(name, tools[name], load, stack)
            except MeasurementFailed as error:
                failed[name] = error.message
                if name == OURS:
                    raise
                continue
            counts = drive.counts
            elapsed_ns = counts.elapsed_ns or drive.elapsed_ns
            readings.append(
                Reading(
                    tool=name,
                    version=versions[name],
                    round=number,
                    answers=counts.answers,
                    errors={kind: count for kind, count in counts.kinds.items() if count},
                    per_s=counts.answers * 1e9 / elapsed_ns,
                    p50_ms=counts.latency_ms.get("p50"),
                    p99_ms=counts.latency_ms.get("p99"),
                    generator_cpu_ns=counts.own_cpu_ns or drive.cpu_ns,
                    stack_cpu_ns=stack_cpu_ns,
                )
            )
            if (gone := stack.failure()) is not None:
                raise ArmFailed(stack.arm, gone)
    return Crosscheck(
        arm=stack.arm,
        connections=workload.connections,
        rounds=rounds,
        seconds=seconds,
        tools=summarise(readings),
        readings=readings,
        failed=failed,
        missing={name: hint for name, hint in driven.missing().items()},
    )


def summarise(readings: Sequence[Reading]) -> list[Tool]:
    """Ours first, then by throughput; only rounds that both have are compared."""
    by_tool: dict[str, dict[int, Reading]] = {}
    for each in readings:
        by_tool.setdefault(each.tool, {})[each.round] = each
    ours = by_tool.get(OURS, {})
    made = [_tool(name, found, ours) for name, found in by_tool.items()]
    return sorted(made, key=lambda tool: (tool.name != OURS, -tool.per_s))


def _tool(name: str, found: dict[int, Reading], ours: dict[int, Reading]) -> Tool:
    all_of_it = list(found.values())
    answers = sum(each.answers for each in all_of_it)
    both = [number for number in found if number in ours]

    def ratio(figure: Callable[[Reading], float]) -> Interval | None:
        if name == OURS:
            return None
        return statistics.ratio([figure(found[number]) for number in both], [figure(ours[number]) for number in both])

    return Tool(
        name=name,
        version=all_of_it[0].version,
        per_s=sum(each.per_s for each in all_of_it) / len(all_of_it),
        ratio=ratio(lambda each: each.per_s),
        p50_ms=_span([each.p50_ms for each in all_of_it]),
        p99_ms=_span([each.p99_ms for each in all_of_it]),
        time=TIMES[name],
        generator_us=sum(each.generator_cpu_ns for each in all_of_it) / max(1, answers) / 1000,
        stack_us=sum(each.stack_cpu_ns for each in all_of_it) / max(1, answers) / 1000,
        stack_ratio=ratio(lambda each: each.stack_cpu_ns / max(1, each.answers)),
        errors={
            kind: sum(each.errors.get(kind, 0) for each in all_of_it)
            for kind in dict.fromkeys(kind for each in all_of_it for kind in each.errors)
        },
    )


def _span(values: Sequence[float | None]) -> tuple[float, float] | None:
    """Lowest and highest: quantiles of several runs do not merge."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else None


def _ours() -> Peer:
    return peers.engine(binaries.require("hopcost-engine"), OURS)


def _drive(name: str, peer: Peer, load: Load, stack: RunningStack) -> tuple[peers.Drive, int]:
    """One run on the generator's cores, and the CPU time that the stack used meanwhile."""
    command = [peer.executable, *(_words(load) if name == OURS else peers.words(name, load))]
    before = _cpu_ns(stack)
    with stack.as_client():
        done = peers.run(peer, command, stack.prepared.cores.generator, at_most_s=(load.seconds or 0) * 3 + 30)
    return done, _cpu_ns(stack) - before


def _words(load: Load) -> list[str]:
    """Our engine as a load generator like any other."""
    fields = [word for name, value in load.headers for word in ("-H", f"{name}: {value}")]
    close = [] if load.keep_alive else ["--requests-per-connection", "1"]
    ends = ["-t", str(load.threads), "-c", str(load.connections), "-d", f"{load.seconds}s"]
    return ["load", "--json", *ends, *fields, *close, load.url]


def _cpu_ns(stack: RunningStack) -> int:
    total = 0
    for hop, pids in stack.processes.items():
        account = stack.account_of(hop)
        if account is not None:
            total += usage.account_ns(Path(account))
        else:
            total += sum(usage.process_clock_ns(pid) or host.cpu_ns(pid) for pid in pids)
    return total
