"""Whether the load generators agree: each is compared with ours of the same round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from hopcost.record.repeat import PeerRun
from hopcost.statistics import intervals
from hopcost.statistics.figures import sum_by_kind
from hopcost.statistics.intervals import Interval

OURS = "hopcost"


class Turn(msgspec.Struct, frozen=True):
    """What a generator did in one round."""

    round: int
    run: PeerRun

    @property
    def per_s(self) -> float:
        """Correct answers by its own count and clock."""
        return self.run.answers * 1e9 / self.run.elapsed_ns

    @property
    def stack_ns(self) -> float:
        """CPU time of all hops per answer."""
        return sum(ns or 0 for ns in self.run.cpu_ns.values()) / max(1, self.run.answers)

    @property
    def generator_ns(self) -> float:
        """Its own CPU time per answer, starting and printing included."""
        return self.run.generator_cpu_ns / max(1, self.run.answers)


class Tool(msgspec.Struct, frozen=True):
    """One generator over all its turns; figures are medians over turns, quantiles span from the lowest to the highest.

    `ratio` and `stack_ratio` are to ours of the same rounds, each with a 95 % interval by itself; None for ours.
    `in_flight` is throughput × mean time ÷ connections, by its own figures: by Little's law the share of connections
    that wait for an answer. `busy` is its CPU time ÷ (wall time × cores). CPU time in ns per answer.
    """

    name: str
    version: str
    turns: int
    per_s: float
    ratio: Interval | None
    mean_ms: float | None
    p50_ms: tuple[float, float] | None
    p99_ms: tuple[float, float] | None
    in_flight: float | None
    busy: float
    generator_ns: float
    stack_ns: float
    stack_ratio: Interval | None
    errors: dict[str, int]


class Crosscheck(msgspec.Struct, frozen=True):
    """All of it: `left_out` has those that are not here or cannot load this arm, and why."""

    arm: str
    connections: int
    cores: int
    rounds: int
    seconds: int
    tools: list[Tool]
    left_out: dict[str, str]
    turns: list[Turn]


def summarise_crosscheck(turns: Sequence[Turn], connections: int, cores: int) -> list[Tool]:
    """Ours first, then by throughput; only rounds that both have are compared."""
    by_tool: dict[str, dict[int, Turn]] = {}
    for turn in turns:
        by_tool.setdefault(turn.run.peer, {})[turn.round] = turn
    ours = by_tool.get(OURS, {})
    tools = [_tool(of_tool, ours, connections, cores) for of_tool in by_tool.values()]
    return sorted(tools, key=lambda tool: (tool.name != OURS, -tool.per_s))


def _tool(of_tool: dict[int, Turn], ours: dict[int, Turn], connections: int, cores: int) -> Tool:
    turns = list(of_tool.values())
    runs = [turn.run for turn in turns]
    name = runs[0].peer
    both = [number for number in of_tool if number in ours and name != OURS]

    def ratio(figure: Callable[[Turn], float]) -> Interval | None:
        return intervals.ratio([figure(of_tool[number]) for number in both], [figure(ours[number]) for number in both])

    means = [(turn, turn.run.latency_ms["mean"]) for turn in turns if "mean" in turn.run.latency_ms]
    return Tool(
        name=name,
        version=runs[0].version,
        turns=len(turns),
        per_s=median(turn.per_s for turn in turns),
        ratio=ratio(lambda turn: turn.per_s),
        mean_ms=median(mean for _, mean in means) if means else None,
        p50_ms=_ends(runs, "p50"),
        p99_ms=_ends(runs, "p99"),
        in_flight=median(turn.per_s * mean / 1000 / connections for turn, mean in means) if means else None,
        busy=median(run.generator_cpu_ns / run.wall_ns / cores for run in runs),
        generator_ns=median(turn.generator_ns for turn in turns),
        stack_ns=median(turn.stack_ns for turn in turns),
        stack_ratio=ratio(lambda turn: turn.stack_ns),
        errors=sum_by_kind(run.errors for run in runs),
    )


def _ends(runs: Sequence[PeerRun], quantile: str) -> tuple[float, float] | None:
    """Lowest and highest: quantiles of several runs do not merge."""
    known = [run.latency_ms[quantile] for run in runs if quantile in run.latency_ms]
    return (min(known), max(known)) if known else None
