"""What a hop costs: the stack with it minus the stack without it, block by block, at the same offered load. Pure."""

from __future__ import annotations

import msgspec

from hopcost import comparison, open_figures
from hopcost.comparison import Arms
from hopcost.plan import PlannedExperiment
from hopcost.statistics import Interval


class HopCost(msgspec.Struct, frozen=True):
    """Differences per request in ns, each with its interval; `load_per_s` None is saturation, without response times.

    `hop` is the program that `arm` has in front and `without` has not.
    """

    arm: str
    without: str
    hop: str
    share: float | None
    load_per_s: float | None
    cpu_ns: Interval | None
    p50_ns: Interval | None = None
    p99_ns: Interval | None = None


def pairs(experiment: PlannedExperiment) -> list[tuple[str, str, str]]:
    """(arm, the arm without its first hop, that hop's program); of several such arms the baseline."""
    stacks = {arm.name: [hop.program for hop in arm.arm.hops] for arm in experiment.arms if arm.copy_of is None}
    candidates = sorted(stacks, key=lambda name: name != experiment.baseline)
    found = []
    for name, programs in stacks.items():
        without = next((each for each in candidates if stacks[each] == programs[1:]), None)
        if len(programs) > 1 and without is not None:
            found.append((name, without, programs[0]))
    return found


def of(arms: Arms, experiment: PlannedExperiment, error: float, p99_agrees: dict[float, bool | None]) -> list[HopCost]:
    """For each arm with a hop in front: at every offered load of the record, then at saturation."""
    found = []
    for name, without, hop in pairs(experiment):
        if not arms.of(name) or not arms.of(without):
            continue
        shares = dict.fromkeys(load.share for part in arms.of(name) for load in part.open_loop)
        for share in shares:
            load = open_figures.at(arms.of(name)[-1], share)
            p99 = arms.difference(name, open_figures.response_time(share, "p99"), error, without)
            found.append(
                HopCost(
                    arm=name,
                    without=without,
                    hop=hop,
                    share=share,
                    load_per_s=None if load is None else load.rate_per_s,
                    cpu_ns=arms.difference(name, open_figures.cpu_per_request(share), error, without),
                    p50_ns=arms.difference(name, open_figures.response_time(share, "p50"), error, without),
                    p99_ns=p99 if p99_agrees.get(share) else None,
                )
            )
        saturated = arms.difference(name, comparison.cpu_per_request, error, without)
        found.append(HopCost(name, without, hop, None, None, saturated))
    return found
