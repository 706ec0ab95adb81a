"""Repeats of an article's own protocol, and what runs by another load generator say: their quantiles do not merge."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.evidence import Memory, TimeWait
from hopcost.record.repeat import PeerRun, Repeat
from hopcost.statistics.figures import total
from hopcost.statistics.summary import usage
from hopcost.suites.published import Published


class PeerFigures(msgspec.Struct, frozen=True):
    """`latency_ms` has each run's own `mean`, `p50` … `max`; `kept` is None where the tool does not count it.

    `kept` are answers after which the connection was kept, of `answers` correct ones, over all runs.
    """

    latency_ms: dict[str, list[float]]
    answers: int
    kept: int | None


def summarise_peer_runs(runs: Sequence[PeerRun]) -> PeerFigures | None:
    """None where no other generator ran."""
    if not runs:
        return None
    latency: dict[str, list[float]] = {}
    for run in runs:
        for name, value in run.latency_ms.items():
            latency.setdefault(name, []).append(value)
    kept = [run.kept_alive for run in runs if run.kept_alive is not None]
    return PeerFigures(
        latency_ms=latency,
        answers=sum(run.answers for run in runs),
        kept=sum(kept) if len(kept) == len(runs) else None,
    )


class ArmRepeats(msgspec.Struct, frozen=True):
    """One arm's repeats: correct answers per second of each that gave any count, by the tool's own count.

    `errors` are the tool's own, over all repeats, and never among the answers; `failures` are repeats that gave none.
    """

    name: str
    tool: str | None
    connections: int
    requests: int | None
    duration_s: int | None
    throughputs_per_s: list[float]
    ratio: float | None
    errors: dict[str, int]
    cpu_percent: float | None
    failures: list[str]
    published: Published | None
    published_ratio: float | None
    peer_figures: PeerFigures | None = None
    memory: dict[str, Memory] = {}
    time_wait: list[TimeWait] = []

    @property
    def mean_per_s(self) -> float | None:
        """The arithmetic mean, as articles print it."""
        return sum(self.throughputs_per_s) / len(self.throughputs_per_s) if self.throughputs_per_s else None


def summarise_repeats(planned: PlannedExperiment, repeats: Sequence[Repeat]) -> list[ArmRepeats]:
    """The arms in the plan's order; those without any repeat are left out."""
    rows = {row.arm: row for row in planned.published}
    own = {arm.name: [each for each in repeats if each.arm == arm.name] for arm in planned.arms if not arm.copy_of}
    made = [_arm(name, found, len(planned.cores.stack), rows.get(name)) for name, found in own.items() if found]
    baseline = next((arm.mean_per_s for arm in made if arm.name == planned.baseline), None)
    control = rows.get(planned.control or "")
    printed = control.throughput_per_s if control is not None else None
    return [
        msgspec.structs.replace(
            arm,
            ratio=arm.mean_per_s / baseline if arm.mean_per_s is not None and baseline else None,
            published_ratio=arm.published.throughput_per_s / printed
            if arm.published is not None and arm.published.throughput_per_s is not None and printed
            else None,
        )
        for arm in made
    ]


def _arm(name: str, repeats: list[Repeat], cores: int, row: Published | None) -> ArmRepeats:
    runs = [each.run for each in repeats if each.run is not None]
    hops_ns = [ns for run in runs for ns in run.cpu_ns.values()]
    used_ns = total(hops_ns) if hops_ns else None
    elapsed_ns = sum(run.elapsed_ns for run in runs)
    errors: dict[str, int] = {}
    for run in runs:
        for kind, count in run.errors.items():
            errors[kind] = errors.get(kind, 0) + count
    return ArmRepeats(
        name=name,
        tool=f"{runs[0].peer} {runs[0].version}" if runs else None,
        connections=repeats[0].connections,
        requests=repeats[0].requests,
        duration_s=repeats[0].duration_s,
        throughputs_per_s=[run.answers * 1e9 / run.elapsed_ns for run in runs if run.elapsed_ns],
        ratio=None,
        errors=errors,
        cpu_percent=used_ns / elapsed_ns / cores * 100 if used_ns is not None and elapsed_ns else None,
        failures=[each.failure for each in repeats if each.failure is not None],
        published=row,
        published_ratio=None,
        peer_figures=summarise_peer_runs(runs),
        memory=usage.memory(repeats),
        time_wait=usage.time_wait(repeats),
    )
