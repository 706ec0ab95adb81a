"""Whether a block counts: faults of the instrument and of the machine void it.

docs/methodology.md has each rule and why. The A/A arm's ratio is no rule here: a block must not be chosen by what it
shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopcost.generators.engine_protocol import ArmTotals, End, Slice, Validity
from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import histogram
from hopcost.record.block import ArmBlock, Block, OpenLoad
from hopcost.statistics.validity.accounts import (
    could_have_sent,
    generator_busy,
    has_long_tail,
    is_even_over_slices,
    is_starved,
    missed_shares,
    share,
)
from hopcost.statistics.validity.others import Fault, faults_of_others

Judge = Callable[[ArmBlock | OpenLoad, PlannedExperiment], list[Fault]]


def judge_block(
    block: Block, experiment: PlannedExperiment, *, on_busy_machine: bool = False
) -> tuple[Validity, list[str]]:
    """The validity, and the reasons. The block must hold the facts of its machine already.

    If the run was asked for `on_busy_machine` (`--anyway`), what the machine did makes the block suspect, not void.
    """
    disturbed = [
        *_faults_of_machine(block, experiment),
        *(fault for part in block.arms for fault in _of_arm(part, experiment, _disturbances)),
    ]
    if on_busy_machine:
        disturbed = [(Validity.SUSPECT, reason) for _, reason in disturbed]
    faults = [
        *_faults_of_engine(block),
        *disturbed,
        *(fault for part in block.arms for fault in _of_arm(part, experiment, _faults_of_accounts)),
    ]
    for failure in block.failures:
        if failure.arm in (experiment.baseline, experiment.copy):
            faults.append((Validity.VOID, f"{failure.arm}, which the others are compared with, failed under load"))
    return Validity.worst(validity for validity, _ in faults), [reason for _, reason in faults]


def _faults_of_engine(block: Block) -> list[Fault]:
    """The engine's own judgement: CPU time outside an arm's slices, connections that would not open, late requests."""
    ends: list[tuple[str, End]] = [] if block.end is None else [("", block.end)]
    ends += [("open loop: ", end) for end in block.open_ends]
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


def _of_arm(part: ArmBlock, experiment: PlannedExperiment, judge: Judge) -> list[Fault]:
    """The faults of one kind in an arm's loads, named by the arm and the rate."""
    faults = judge(part, experiment)
    for load in part.open_loop:
        faults += [(validity, f"at {load.rate_per_s:g}/s {reason}") for validity, reason in judge(load, experiment)]
    return [(validity, f"{part.name}: {reason}") for validity, reason in faults]


def _faults_of_accounts(load: ArmBlock | OpenLoad, _experiment: PlannedExperiment) -> list[Fault]:
    """What the instrument's own sums say against it."""
    return _little(load.slices, load.totals)


def _disturbances(load: ArmBlock | OpenLoad, experiment: PlannedExperiment) -> list[Fault]:
    """What a machine with too little time for the generator or the stack leaves in a load."""
    offered = _not_offered(load, experiment) if isinstance(load, OpenLoad) else []
    return [*_stalled(load.slices, load.totals), *offered]


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


def _stalled(slices: Sequence[Slice], totals: ArmTotals | None) -> list[Fault]:
    """A mean above p99: something stood still. A single slice does not show whether it was the arm."""
    if not has_long_tail(totals) or is_even_over_slices(slices):
        return []
    reason = "its mean time is above its p99: something stood still"
    return [(Validity.VOID if len(slices) > 1 else Validity.SUSPECT, reason)]


def _not_offered(load: OpenLoad, experiment: PlannedExperiment) -> list[Fault]:
    """The generator's own faults under an offered load."""
    faults: list[Fault] = []
    busy = generator_busy(load, experiment)
    if busy >= METHOD.full_share:
        faults.append((Validity.VOID, f"the generator's cores were {busy:.0%} busy: it was saturated"))
    late, not_sent = missed_shares(load)
    if late > METHOD.max_late_share and not is_starved(load, experiment):
        faults.append((Validity.VOID, f"{late:.1%} of the requests were sent late though a connection was free"))
    if not_sent > METHOD.max_missed_share and could_have_sent(load, experiment):
        faults.append((Validity.VOID, f"{not_sent:.1%} of the requests were not sent though the stack was idle"))
    return faults
