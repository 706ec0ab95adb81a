"""Whether a block counts, and which of its offered loads: faults of the instrument and of the machine void them.

explain/method-why.md has each rule and why. The A/A arm's ratio is no rule here: a block must not be chosen by what it
shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopcost.plan import open_loop
from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import ArmTotals, End, Slice, Validity
from hopcost.record import histogram
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.offered_load import VoidLoad
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.accounts import Worst, by_generator, is_stalled, share, worst_of
from hopcost.statistics.validity.background import faults_of_background
from hopcost.statistics.validity.engine import engine_reason
from hopcost.statistics.validity.load import find_void_loads, offered_loads, reasons_of_void_loads
from hopcost.statistics.validity.others import Fault, faults_of_generators_machines, faults_of_others


class Judgement(NamedTuple):
    """Of a block. Void loads change neither its validity nor its reasons: its closed loop stands."""

    validity: Validity
    reasons: list[Reason]
    void_loads: list[VoidLoad]


class Load(NamedTuple):
    """What an arm did in the closed loop (without a rate), or under an offered load."""

    arm: str
    rate_per_s: float | None
    slices: Sequence[Slice]
    totals: ArmTotals | None


def judge_block(block: Block, experiment: PlannedExperiment, *, on_busy_machine: bool = False) -> Judgement:
    """The block must hold the facts of its machine already. The worst reasons come first.

    If the run was asked for `on_busy_machine` (`--anyway`), what the machine did makes the block suspect, and nothing
    void.
    """
    void_loads = find_void_loads(block, experiment)
    disturbed = [
        *_faults_of_machine(block, experiment),
        *faults_of_background(block, experiment),
        *(fault for part in block.arms for fault in _stalls(part)),
    ]
    if on_busy_machine:
        reasons = [*(reason for _, reason in disturbed), *reasons_of_void_loads(void_loads)]
        disturbed, void_loads = [(Validity.SUSPECT, reason) for reason in reasons], []
    faults = [*_faults_of_engine(block, void_loads), *disturbed, *_faults_of_accounts(block, experiment)]
    for failure in block.failures:
        if failure.arm in (experiment.baseline, experiment.copy):
            faults.append((Validity.VOID, Reason(ReasonKind.REFERENCE_FAILED, failure.arm)))
    faults.sort(key=lambda fault: list(Validity).index(fault[0]), reverse=True)
    return Judgement(Validity.worst(validity for validity, _ in faults), [reason for _, reason in faults], void_loads)


def _faults_of_engine(block: Block, void_loads: Sequence[VoidLoad]) -> list[Fault]:
    """The engine's own judgement: CPU time outside an arm's slices, connections that would not open, late requests.

    What it suspects of a load that does not count says nothing of the block.
    """
    ends: list[tuple[float | None, End]] = [] if block.end is None else [(None, block.end)]
    void = {load.share for load in void_loads}
    loads = list(offered_loads(block).items())
    for number, end in enumerate(block.open_ends):
        load_share, rate_per_s = loads[number] if number < len(loads) else (None, None)
        if end.validity == Validity.VOID or load_share not in void:
            ends.append((rate_per_s, end))
    # What it suspects of a probe is what the search looks for: a load that the arm, or the generator, cannot carry.
    ends += [(None, end) for end in block.probe_ends if end.validity == Validity.VOID]
    return [(end.validity, engine_reason(sentence, rate_per_s)) for rate_per_s, end in ends for sentence in end.reasons]


def _faults_of_machine(block: Block, experiment: PlannedExperiment) -> list[Fault]:
    """Time that others took from the block, and jumps of the wall clock."""
    cores = len(experiment.cores.of_stacks_machine)
    loaded_ns = sum(end.elapsed_ns for end in [block.end, *block.open_ends, *block.probe_ends] if end is not None)
    faults = faults_of_others(block, loaded_ns * cores)
    steal = share(block.steal_ns or 0, block.elapsed_ns * cores)
    if steal > METHOD.max_steal_share:
        faults.append((Validity.VOID, Reason(ReasonKind.STEAL, value=steal)))
    throttled = share(block.throttled_ns or 0, block.elapsed_ns)
    if throttled > METHOD.max_throttled_share:
        faults.append((Validity.VOID, Reason(ReasonKind.QUOTA, value=throttled)))
    swapped = block.swapped_pages or 0
    if swapped > METHOD.max_swapped_pages:
        faults.append((Validity.VOID, Reason(ReasonKind.SWAPPING, value=swapped)))
    faults += faults_of_generators_machines(block, experiment)
    step_ns = block.clock_step_ns or 0
    if abs(step_ns) > METHOD.max_clock_step_ns:
        faults.append((Validity.VOID, Reason(ReasonKind.CLOCK_STEP, value=step_ns)))
    stall_ns = block.longest_stall_ns or 0
    if open_loop.is_capped(stall_ns):
        faults.append((Validity.SUSPECT, Reason(ReasonKind.LONG_STALLS, value=stall_ns)))
    return faults


def _stalls(part: ArmBlock) -> list[Fault]:
    """A mean above p99: something stood still. A single slice does not show whether it was the arm."""
    faults: list[Fault] = []
    for load in _loads(part):
        is_one = len(load.slices) == 1
        if not is_one and load.rate_per_s is not None:  # then the load is void
            continue
        if is_stalled(load.slices, load.totals):
            reason = Reason(ReasonKind.STOOD_STILL, load.arm, load.rate_per_s)
            faults.append((Validity.SUSPECT if is_one else Validity.VOID, reason))
    return faults


def _faults_of_accounts(block: Block, experiment: PlannedExperiment) -> Iterator[Fault]:
    """What the instrument's own sums say against it."""
    may_wait = experiment.cores.shared  # the stack has a right to the core that it shares with the generator
    is_judged_by_engine = len(block.arms) == 1
    for part in block.arms:
        for load in _loads(part):
            off = _off_by_littles_law(load)
            if off is not None and abs(off) > METHOD.max_little_error:
                yield Validity.VOID, Reason(ReasonKind.LITTLES_LAW, load.arm, load.rate_per_s, off)
        waited = _waited_most(part, experiment)
        if waited.share > METHOD.max_run_delay_share and not may_wait and not is_judged_by_engine:
            yield (
                Validity.SUSPECT,
                Reason(ReasonKind.RUN_DELAY, part.name, value=waited.share, machine=waited.machine),
            )


def _loads(part: ArmBlock) -> list[Load]:
    """The arm's closed loop, then each of its offered loads."""
    closed = Load(part.name, None, part.slices, part.totals)
    return [closed, *(Load(part.name, load.rate_per_s, load.slices, load.totals) for load in part.open_loop)]


def _off_by_littles_law(load: Load) -> float | None:
    """By which share service times are off from the requests in flight over time, which the engine counts apart.

    They must agree to the precision of a histogram of three figures; the ages of the requests in flight at a slice's
    edges are taken into account. None if requests failed, which have no service time, or with few answers.
    """
    answers = sum(piece.answers for piece in load.slices)
    failed = sum(
        number for piece in load.slices for kind, number in piece.errors.items() if kind not in ("connect", "tls")
    )
    if load.totals is None or answers < METHOD.min_little_answers or failed > answers * METHOD.max_little_errors:
        return None
    expected = 0
    for piece in load.slices:
        if piece.in_flight_ns is None or piece.aged_ns is None:
            return None
        expected += piece.in_flight_ns - piece.aged_ns
    served = histogram.merge([load.totals.service_time])
    return share(served.mean_ns * served.total, expected) - 1


def _waited_most(part: ArmBlock, experiment: PlannedExperiment) -> Worst:
    """For which share of the closed loop the generator's threads were ready to run and had to wait; 0 if nobody knows.

    Meanwhile answers lay unread, and look slower than they were. In the open
    loop requests are late then.
    """
    cores = len(experiment.cores.generator)
    return worst_of(by_generator(part.slices), lambda own: share(own.run_delay_ns, own.elapsed_ns * cores))
