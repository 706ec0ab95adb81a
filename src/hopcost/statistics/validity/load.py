"""Whether an offered load counts in a block: what the generator did not offer says nothing of any arm.

Such a load is void for all arms alike, whichever arm showed it. The closed loop came before it, and stands.
"""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import Block, LoadFault, LoadFaultKind, OpenLoad, VoidLoad
from hopcost.statistics.validity.accounts import (
    could_have_sent,
    generator_busy,
    is_stalled,
    is_starved,
    missed_shares,
)

WORDS = {
    LoadFaultKind.SATURATED: "the generator's cores were {:.0%} busy: it was saturated",
    LoadFaultKind.LATE: "{:.1%} of the requests were sent late though a connection was free",
    LoadFaultKind.NOT_SENT: "{:.1%} of the requests were not sent though the stack was idle",
    LoadFaultKind.STALLED: "its mean time is above its p99: something stood still",
}


def find_void_loads(block: Block, experiment: PlannedExperiment) -> list[VoidLoad]:
    """The loads that count for no arm of the block, in the order in which they were offered."""
    void: dict[float, VoidLoad] = {}
    for part in block.arms:
        for load in part.open_loop:
            faults = _faults_of_load(part.name, load, experiment)
            if faults:
                void.setdefault(load.share, VoidLoad(load.share, load.rate_per_s, [])).faults += faults
    return sorted(void.values(), key=lambda load: offered_shares(block).index(load.share))


def offered_shares(block: Block) -> list[float]:
    """The loads that any arm of the block had, by share, in the order of the engine's runs."""
    return list(dict.fromkeys(load.share for part in block.arms for load in part.open_loop))


def sentences(loads: list[VoidLoad]) -> list[str]:
    """Each fault with its arm and the rate."""
    return [
        f"{fault.arm}: at {load.rate_per_s:g}/s {WORDS[fault.kind].format(fault.extent)}"
        for load in loads
        for fault in load.faults
    ]


def _faults_of_load(arm: str, load: OpenLoad, experiment: PlannedExperiment) -> list[LoadFault]:
    """Of one arm's part of a load. A single slice does not show whether the arm stood still, or something else."""
    faults: list[LoadFault] = []
    busy = generator_busy(load, experiment)
    if busy >= METHOD.full_share:
        faults.append(LoadFault(arm, LoadFaultKind.SATURATED, busy))
    late, not_sent = missed_shares(load)
    if late > METHOD.max_late_share and not is_starved(load, experiment):
        faults.append(LoadFault(arm, LoadFaultKind.LATE, late))
    if not_sent > METHOD.max_missed_share and could_have_sent(load, experiment):
        faults.append(LoadFault(arm, LoadFaultKind.NOT_SENT, not_sent))
    if len(load.slices) > 1 and is_stalled(load.slices, load.totals):
        faults.append(LoadFault(arm, LoadFaultKind.STALLED))
    return faults
