"""Whether an offered load counts in a block: what the generator did not offer says nothing of any arm.

Such a load is void for all arms alike, whichever arm showed it. The closed loop came before it, and stands.
"""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import Block
from hopcost.record.contents.offered_load import LoadFault, LoadFaultKind, OpenLoad, VoidLoad
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.accounts import (
    could_have_sent,
    generator_busy,
    is_stalled,
    is_starved,
    late_most,
    unsent_most,
)

KINDS = {
    LoadFaultKind.SATURATED: ReasonKind.GENERATOR_BUSY,
    LoadFaultKind.LATE: ReasonKind.LATE,
    LoadFaultKind.NOT_SENT: ReasonKind.NOT_SENT,
    LoadFaultKind.STALLED: ReasonKind.STOOD_STILL,
}


def find_void_loads(block: Block, experiment: PlannedExperiment) -> list[VoidLoad]:
    """The loads that count for no arm of the block, in the order in which they were offered."""
    void: dict[float, VoidLoad] = {}
    for part in block.arms:
        for load in part.open_loop:
            faults = _faults_of_load(part.name, load, experiment)
            if faults:
                void.setdefault(load.share, VoidLoad(load.share, load.rate_per_s, [])).faults += faults
    return [void[share] for share in offered_loads(block) if share in void]


def offered_loads(block: Block) -> dict[float, float]:
    """The loads that any arm of the block had, share → requests per second, in the order of the engine's runs."""
    return {load.share: load.rate_per_s for part in block.arms for load in part.open_loop}


def reasons_of_void_loads(loads: list[VoidLoad]) -> list[Reason]:
    """The faults as reasons of the whole block."""
    return [
        Reason(KINDS[fault.kind], fault.arm, load.rate_per_s, fault.extent, machine=fault.machine)
        for load in loads
        for fault in load.faults
    ]


def _faults_of_load(arm: str, load: OpenLoad, experiment: PlannedExperiment) -> list[LoadFault]:
    """Of one arm's part of a load. A single slice does not show whether the arm stood still, or something else."""
    faults: list[LoadFault] = []
    busy = generator_busy(load, experiment)
    if busy.share >= METHOD.full_share:
        faults.append(LoadFault(arm, LoadFaultKind.SATURATED, *busy))
    late, unsent = late_most(load), unsent_most(load)
    if late.share > METHOD.max_late_share and not is_starved(load, experiment):
        faults.append(LoadFault(arm, LoadFaultKind.LATE, *late))
    if unsent.share > METHOD.max_missed_share and could_have_sent(load, experiment):
        faults.append(LoadFault(arm, LoadFaultKind.NOT_SENT, *unsent))
    if len(load.slices) > 1 and is_stalled(load.slices, load.totals):
        faults.append(LoadFault(arm, LoadFaultKind.STALLED))
    return faults
