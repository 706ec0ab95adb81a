"""Repeats of an article's own protocol, and what runs by another load generator say: their quantiles do not merge."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.record.contents.repeat import PeerRun, Repeat
from hopcost.statistics.figures import sum_by_kind
from hopcost.statistics.summary import usage
from hopcost.statistics.summary.cpu import cpu_percent
from hopcost.statistics.summary.published import published_figures
from hopcost.suites.articles.published import Published


class PeerFigures(msgspec.Struct, frozen=True):
    """`latency_ms` has each run's own `mean`, `p50` … `max`; `kept` is None if the tool does not count it.

    `kept` are answers after which the connection was kept, of `answers` correct ones, over all runs.
    """

    latency_ms: dict[str, list[float]]
    answers: int
    kept: int | None


def summarise_peer_runs(runs: Sequence[PeerRun]) -> PeerFigures | None:
    """The runs' own figures together; None if no other generator ran."""
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
    """One arm's repeats: correct answers per second of each repeat that gave a count, as the tool counts.

    `errors` are the tool's own over all repeats, and never among the answers. `failures` are repeats without a count.
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
    """The arms in the plan's order; an arm without any repeat is left out."""
    by_arm = {
        arm.name: [repeat for repeat in repeats if repeat.arm == arm.name] for arm in planned.arms if not arm.copy_of
    }
    arms = [_summarise_arm(planned, name, own) for name, own in by_arm.items() if own]
    baseline = next((arm.mean_per_s for arm in arms if arm.name == planned.baseline), None)
    return [
        msgspec.structs.replace(
            arm, ratio=arm.mean_per_s / baseline if arm.mean_per_s is not None and baseline else None
        )
        for arm in arms
    ]


def _summarise_arm(planned: PlannedExperiment, name: str, repeats: list[Repeat]) -> ArmRepeats:
    runs = [repeat.run for repeat in repeats if repeat.run is not None]
    published, published_ratio = published_figures(planned, name)
    return ArmRepeats(
        name=name,
        tool=f"{runs[0].peer} {runs[0].version}" if runs else None,
        connections=repeats[0].connections,
        requests=repeats[0].requests,
        duration_s=repeats[0].duration_s,
        throughputs_per_s=[run.answers * 1e9 / run.elapsed_ns for run in runs if run.elapsed_ns],
        ratio=None,
        errors=sum_by_kind(run.errors for run in runs),
        cpu_percent=cpu_percent(
            (ns for run in runs for ns in run.cpu_ns.values()),
            sum(run.elapsed_ns for run in runs),
            len(planned.cores.stack),
        ),
        failures=[repeat.failure for repeat in repeats if repeat.failure is not None],
        published=published,
        published_ratio=published_ratio,
        peer_figures=summarise_peer_runs(runs),
        memory=usage.memory(repeats),
        time_wait=usage.time_wait(repeats),
    )
