"""What a hop costs: the stack with it minus the stack without it, block by block, at the same offered load."""

from __future__ import annotations

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary import open_loop
from hopcost.suites.arms.arm import Arm


class HopCost(msgspec.Struct, frozen=True):
    """Differences per request in ns, each with its interval; `load_per_s` None is saturation, without response times.

    `hop` is the program that `arm` has in front and `without` has not. `starts` counts those that have both arms at
    that load: one alone does not show how starts differ.
    """

    arm: str
    without: str
    hop: str
    share: float | None
    load_per_s: float | None
    starts: int
    cpu_ns: Interval | None
    p50_ns: Interval | None = None
    p99_ns: Interval | None = None


def pairs(experiment: PlannedExperiment) -> list[tuple[str, str, str]]:
    """(arm, the arm without its first hop, that hop's program); of several such arms the baseline.

    Two arms form a pair if removing the first hop of one gives the other: same remaining hops, copies and settings,
    same link to the client. The link between the removed hop and the next one may differ; it is part of the hop's cost.
    """
    arms = {arm.name: arm.arm for arm in experiment.arms if arm.copy_of is None}
    candidates = sorted(arms, key=lambda name: name != experiment.baseline)
    pairs = []
    for name, arm in arms.items():
        without = next((candidate for candidate in candidates if _is_without_first(arms[candidate], arm)), None)
        if without is not None:
            pairs.append((name, without, arm.hops[0].program))
    return pairs


def without_hop(experiment: PlannedExperiment) -> set[tuple[str, str]]:
    """(arm, the arm without its first hop)."""
    return {(name, without) for name, without, _ in pairs(experiment)}


def _is_without_first(other: Arm, arm: Arm) -> bool:
    """Whether it is the same stack, asked in the same way, but for the arm's first hop."""
    if not arm.hops or not other.hops:  # running servers
        return False
    first, *rest = arm.hops
    if not rest or other.hops[0].link is not first.link or _surroundings(other, arm) != _surroundings(arm, arm):
        return False
    replaced = [msgspec.structs.replace(rest[0], link=first.link, port=None), *rest[1:]]
    return replaced == [msgspec.structs.replace(other.hops[0], port=None), *other.hops[1:]]


def _surroundings(of: Arm, arm: Arm) -> list[object]:
    """What else an arm fixes; settings by program as far as they are for what is behind the arm's first hop."""
    behind = {hop.program for hop in arm.hops[1:]}
    settings = {program: value for program, value in of.settings.items() if program in behind}
    return [settings, of.sysctls, of.open_files, of.link_mbit_per_s]


def hop_costs(arms: PairedBlocks, experiment: PlannedExperiment, error: float) -> list[HopCost]:
    """For each arm with a hop in front: at every offered load of the record, then at saturation."""
    costs = []
    for name, without, hop in pairs(experiment):
        if not arms.of(name) or not arms.of(without):
            continue
        shares = dict.fromkeys(load.share for part in arms.of(name) for load in part.open_loop)
        for share in shares:
            cpu = open_loop.cpu_per_request_at(share)
            p50, p99 = (_of_quantile(arms, name, without, share, quantile, error) for quantile in ("p50", "p99"))
            costs.append(
                HopCost(
                    arm=name,
                    without=without,
                    hop=hop,
                    share=share,
                    load_per_s=open_loop.rate_per_s(arms.of(name), share),
                    starts=arms.count(name, cpu, without),
                    cpu_ns=arms.difference(name, cpu, error, without),
                    p50_ns=p50,
                    p99_ns=p99,
                )
            )
        saturated = arms.difference(name, figures.cpu_per_request, error, without)
        starts = arms.count(name, figures.cpu_per_request, without)
        costs.append(HopCost(name, without, hop, None, None, starts, saturated))
    return costs


def _of_quantile(
    arms: PairedBlocks, name: str, without: str, share: float, quantile: str, error: float
) -> Interval | None:
    if not all(open_loop.is_shown(arms.of(arm), share, quantile) for arm in (name, without)):
        return None
    return arms.difference(name, open_loop.response_time_at(share, quantile), error, without)
