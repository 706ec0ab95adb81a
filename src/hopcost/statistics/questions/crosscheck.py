"""Whether the load generators agree: each is compared with ours of the same round.

The ratios of all generators are estimated together (statistics/random_effects): how much turns differ is learned from
all of them, since a handful of turns of one generator says little about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import msgspec

from hopcost.plan.method import METHOD
from hopcost.record.contents.repeat import PeerRun
from hopcost.statistics import intervals, random_effects
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
    """All of it: `left_out` has those that are not here or cannot load this arm, and why.

    `idle_cores` is what they did, as environment.json of a run says it.
    """

    arm: str
    connections: int
    cores: int
    rounds: int
    seconds: int
    idle_cores: str
    tools: list[Tool]
    left_out: dict[str, str]
    turns: list[Turn]


def summarise_crosscheck(turns: Sequence[Turn], connections: int, cores: int) -> list[Tool]:
    """Ours first, then by throughput; only rounds that both have are compared."""
    by_tool: dict[str, dict[int, Turn]] = {}
    for turn in turns:
        by_tool.setdefault(turn.run.peer, {})[turn.round] = turn
    ratios = _ratios(by_tool, lambda turn: turn.per_s)
    stack_ratios = _ratios(by_tool, lambda turn: turn.stack_ns)
    tools = [
        _tool(list(turns.values()), connections, cores, ratios.get(name), stack_ratios.get(name))
        for name, turns in by_tool.items()
    ]
    return sorted(tools, key=lambda tool: (tool.name != OURS, -tool.per_s))


def _ratios(by_tool: Mapping[str, Mapping[int, Turn]], figure: Callable[[Turn], float]) -> dict[str, Interval]:
    """Each generator's figure ÷ ours of the same rounds; without ends from one round, absent without any.

    A generator is absent too if a figure is not positive: then there is no logarithm.
    """
    ours = by_tool.get(OURS, {})
    contrasts = {}
    for name, turns in by_tool.items():
        pairs = [(figure(turn), figure(ours[number])) for number, turn in turns.items() if number in ours]
        if name == OURS or not pairs or min(value for pair in pairs for value in pair) <= 0:
            continue
        logs = [math.log(own) - math.log(other) for own, other in pairs]
        contrasts[name] = random_effects.Contrast(logs, rounds=[1] * len(logs), variance=None, degrees=0)
    estimates = random_effects.estimate(list(contrasts.values()))
    return {name: _interval(estimate) for name, estimate in zip(contrasts, estimates, strict=True)}


def _interval(estimate: random_effects.Estimate) -> Interval:
    ratio = intervals.of_logs(estimate.interval(METHOD.confidence_error))
    return ratio if estimate.blocks > 1 else msgspec.structs.replace(ratio, low=None, high=None)


def _tool(
    turns: Sequence[Turn], connections: int, cores: int, ratio: Interval | None, stack_ratio: Interval | None
) -> Tool:
    runs = [turn.run for turn in turns]
    means = [(turn, turn.run.latency_ms["mean"]) for turn in turns if "mean" in turn.run.latency_ms]
    return Tool(
        name=runs[0].peer,
        version=runs[0].version,
        turns=len(turns),
        per_s=median(turn.per_s for turn in turns),
        ratio=ratio,
        mean_ms=median(mean for _, mean in means) if means else None,
        p50_ms=_ends(runs, "p50"),
        p99_ms=_ends(runs, "p99"),
        in_flight=median(turn.per_s * mean / 1000 / connections for turn, mean in means) if means else None,
        busy=median(run.generator_cpu_ns / run.wall_ns / cores for run in runs),
        generator_ns=median(turn.generator_ns for turn in turns),
        stack_ns=median(turn.stack_ns for turn in turns),
        stack_ratio=stack_ratio,
        errors=sum_by_kind(run.errors for run in runs),
    )


def _ends(runs: Sequence[PeerRun], quantile: str) -> tuple[float, float] | None:
    """Lowest and highest: quantiles of several runs do not merge."""
    known = [run.latency_ms[quantile] for run in runs if quantile in run.latency_ms]
    return (min(known), max(known)) if known else None
