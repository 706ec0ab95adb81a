"""The repeats of an article's own protocol by arm: each, their mean and spread. A pure fold; no ratio has an interval.

Nothing is interleaved in that protocol and nothing runs against itself, so there is no verdict to be had from it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost import beside, peer_figures
from hopcost.peer_figures import PeerFigures
from hopcost.planned import PlannedExperiment
from hopcost.published import Published
from hopcost.recorded import Repeat
from hopcost.usage import Memory, TimeWait


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


def summarise(planned: PlannedExperiment, repeats: Sequence[Repeat]) -> list[ArmRepeats]:
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
    used = [ns for run in runs for ns in run.cpu_ns.values()]
    elapsed_ns = sum(run.elapsed_ns for run in runs)
    errors: dict[str, int] = {}
    for run in runs:
        for kind, count in run.errors.items():
            errors[kind] = errors.get(kind, 0) + count
    known = [ns for ns in used if ns is not None]
    return ArmRepeats(
        name=name,
        tool=f"{runs[0].peer} {runs[0].version}" if runs else None,
        connections=repeats[0].connections,
        requests=repeats[0].requests,
        duration_s=repeats[0].duration_s,
        throughputs_per_s=[run.answers * 1e9 / run.elapsed_ns for run in runs if run.elapsed_ns],
        ratio=None,
        errors=errors,
        cpu_percent=sum(known) / elapsed_ns / cores * 100 if known and len(known) == len(used) and elapsed_ns else None,
        failures=[each.failure for each in repeats if each.failure is not None],
        published=row,
        published_ratio=None,
        peer_figures=peer_figures.of(runs),
        memory=beside.memory(repeats),
        time_wait=beside.time_wait(repeats),
    )
