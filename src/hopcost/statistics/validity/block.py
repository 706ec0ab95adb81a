"""Whether a block counts, and which of its offered loads: faults of the instrument and of the machine void them.

explain/method-why.md has each rule and why. The A/A arm's ratio is no rule here: a block must not be chosen by what it
shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hopcost.generators.engine_protocol import ArmTotals, End, Slice, Validity
from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import histogram
from hopcost.record.block import ArmBlock, Block, VoidLoad
from hopcost.statistics.validity.accounts import is_stalled, share
from hopcost.statistics.validity.load import find_void_loads, offered_shares, sentences
from hopcost.statistics.validity.others import Fault, faults_of_others


class Judgement(NamedTuple):
    """Of a block. Void loads change neither its validity nor its reasons: its closed loop stands."""

    validity: Validity
    reasons: list[str]
    void_loads: list[VoidLoad]


def judge_block(block: Block, experiment: PlannedExperiment, *, on_busy_machine: bool = False) -> Judgement:
    """The block must hold the facts of its machine already. The worst reasons come first.

    If the run was asked for `on_busy_machine` (`--anyway`), what the machine did makes the block suspect, and nothing
    void.
    """
    void_loads = find_void_loads(block, experiment)
    disturbed = [*_faults_of_machine(block, experiment), *(fault for part in block.arms for fault in _stalls(part))]
    if on_busy_machine:
        disturbed = [
            (Validity.SUSPECT, reason) for reason in [*(text for _, text in disturbed), *sentences(void_loads)]
        ]
        void_loads = []
    faults = [
        *_faults_of_engine(block, void_loads),
        *disturbed,
        *(fault for part in block.arms for fault in _faults_of_accounts(part)),
    ]
    for failure in block.failures:
        if failure.arm in (experiment.baseline, experiment.copy):
            faults.append((Validity.VOID, f"{failure.arm}, which the others are compared with, failed under load"))
    faults.sort(key=lambda fault: list(Validity).index(fault[0]), reverse=True)
    return Judgement(Validity.worst(validity for validity, _ in faults), [reason for _, reason in faults], void_loads)


def _faults_of_engine(block: Block, void_loads: Sequence[VoidLoad]) -> list[Fault]:
    """The engine's own judgement: CPU time outside an arm's slices, connections that would not open, late requests.

    What it suspects of a load that does not count says nothing of the block.
    """
    ends: list[tuple[str, End]] = [] if block.end is None else [("", block.end)]
    void = {load.share for load in void_loads}
    shares = offered_shares(block)
    for number, end in enumerate(block.open_ends):
        does_not_count = number < len(shares) and shares[number] in void
        if end.validity == Validity.VOID or not does_not_count:
            ends.append(("open loop: ", end))
    return [(end.validity, where + reason) for where, end in ends for reason in end.reasons]


def _faults_of_machine(block: Block, experiment: PlannedExperiment) -> list[Fault]:
    """Time that others took from the block, and jumps of the wall clock."""
    faults: list[Fault] = []
    cores = len({*experiment.cores.stack, *experiment.cores.generator})
    loaded_ns = sum(end.elapsed_ns for end in [block.end, *block.open_ends] if end is not None)
    faults += faults_of_others(block, loaded_ns * cores, cores)
    steal = share(block.steal_ns or 0, block.elapsed_ns * cores)
    if steal > METHOD.max_steal_share:
        faults.append((Validity.VOID, f"the hypervisor kept {steal:.0%} of the time of {cores} cores"))
    throttled = share(block.throttled_ns or 0, block.elapsed_ns)
    if throttled > METHOD.max_throttled_share:
        faults.append(
            (Validity.VOID, f"a CPU quota of the cgroup kept this run waiting for {throttled:.1%} of the time")
        )
    if (block.swapped_pages or 0) > METHOD.max_swapped_pages:
        faults.append((Validity.VOID, f"the machine swapped {block.swapped_pages} pages in and out"))
    if abs(block.clock_step_ns or 0) > METHOD.max_clock_step_ns:
        faults.append(
            (Validity.VOID, f"the wall clock was set by {(block.clock_step_ns or 0) / 1e6:+.0f} ms meanwhile")
        )
    stall_ns = block.longest_stall_ns or 0
    if open_loop.is_capped(stall_ns):
        reason = (
            f"the generator's core stood still for {stall_ns / 1e6:.0f} ms: no slice of the open loop is long enough"
        )
        faults.append((Validity.SUSPECT, reason))
    return faults


def _stalls(part: ArmBlock) -> list[Fault]:
    """A mean above p99: something stood still. A single slice does not show whether it was the arm."""
    reason = "its mean time is above its p99: something stood still"
    faults: list[Fault] = []
    if is_stalled(part.slices, part.totals):
        validity = Validity.VOID if len(part.slices) > 1 else Validity.SUSPECT
        faults.append((validity, f"{part.name}: {reason}"))
    for load in part.open_loop:
        if len(load.slices) == 1 and is_stalled(load.slices, load.totals):  # of several: the load is void
            faults.append((Validity.SUSPECT, f"{part.name}: at {load.rate_per_s:g}/s {reason}"))
    return faults


def _faults_of_accounts(part: ArmBlock) -> list[Fault]:
    """What the instrument's own sums say against it, in the closed loop and under each offered load."""
    loads = [("", part.slices, part.totals)]
    loads += [(f"at {load.rate_per_s:g}/s ", load.slices, load.totals) for load in part.open_loop]
    return [
        (validity, f"{part.name}: {where}{reason}")
        for where, slices, totals in loads
        for validity, reason in _little(slices, totals)
    ]


def _little(slices: Sequence[Slice], totals: ArmTotals | None) -> list[Fault]:
    """Service times against the requests in flight over time, which the engine counts apart from them.

    They must agree to the precision of a histogram of three figures; the ages of the requests in flight at a slice's
    edges are taken into account. Not judged if requests failed, which have no service time, or with few answers.
    """
    answers = sum(piece.answers for piece in slices)
    failed = sum(number for piece in slices for kind, number in piece.errors.items() if kind not in ("connect", "tls"))
    if totals is None or answers < METHOD.min_little_answers or failed > answers * METHOD.max_little_errors:
        return []
    expected = 0
    for piece in slices:
        if piece.in_flight_ns is None or piece.aged_ns is None:
            return []
        expected += piece.in_flight_ns - piece.aged_ns
    served = histogram.merge([totals.service_time])
    off = share(served.mean_ns * served.total, expected) - 1
    if abs(off) <= METHOD.max_little_error:
        return []
    return [
        (Validity.VOID, f"the service times are {off:+.1%} off from the requests in flight over time (Little's law)")
    ]
