"""Whether a block counts: faults of the instrument and of the machine void it, an arm's own faults are its result.

Pure, over the record. docs/methodology.md has each rule and why. The A/A arm's ratio is no rule here: a block must not
be chosen by what it shows.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from hopcost.generators.engine_protocol import ArmTotals, End, Slice, Validity
from hopcost.plan import open_loop
from hopcost.plan.plan import PlannedExperiment
from hopcost.record import histogram
from hopcost.record.block import ArmBlock, Block, OpenLoad
from hopcost.suites.arm import COPY_SUFFIX

FOREIGN_AT_MOST = 0.03  # of the CPU time of the cores in use, by programs that are not ours
STEAL_AT_MOST = 0.05  # of the time of the cores in use
THROTTLED_AT_MOST = 0.001  # of the block's time
SWAPPED_AT_MOST = 256  # pages: 1 MiB, as an idle program may cause
CLOCK_STEP_AT_MOST_NS = 5_000_000
LITTLE_AT_MOST = 0.02
LITTLE_ANSWERS_LEAST = 1000
LITTLE_ERRORS_AT_MOST = 0.001  # of answers: a request that failed has no time
TAIL_ANSWERS_LEAST = 10_000  # a hundred beyond p99
STALL_FACTOR = 2.0  # a slice this much slower than the median one is a stall, not the arm's way
FULL = 0.95
IDLE_LEAST = 0.05
LATE_AT_MOST = 0.05  # of the due requests; a virtual machine's own pauses came to 2 % here
MISSED_AT_MOST = 0.01  # of the due requests
UNEVEN = 1.5  # times the even share

Fault = tuple[Validity, str]  # what it makes of the block, and the reason


def judge_block(block: Block, experiment: PlannedExperiment) -> tuple[Validity, list[str]]:
    """The validity, and the reasons; of a block with the facts of its machine."""
    found = [
        *_of_engine(block),
        *_of_machine(block, experiment),
        *(fault for part in block.arms for fault in _of_arm(part, experiment)),
    ]
    pair = (experiment.baseline, experiment.baseline + COPY_SUFFIX)
    for failure in block.failures:
        if failure.arm in pair:
            found.append((Validity.VOID, f"{failure.arm}, which the others are compared with, failed under load"))
    return Validity.worst(validity for validity, _ in found), [reason for _, reason in found]


def faults_of_arm(part: ArmBlock, experiment: PlannedExperiment) -> list[str]:
    """What the arm itself did wrong, in sentences without its name: its result, and no verdict on its speed."""
    found = []
    if errors := _errors(part.errors):
        found.append(errors)
    found += _uneven(part, experiment)
    for hop, ended in part.restarts.items():
        found.append(f"{ended} process{'es' * (ended > 1)} of {hop} ended under load: it was restarted, or is lost")
    if _has_long_tail(part.totals) and _is_its_way(part.slices):
        found.append("its mean service time is above its p99: few requests take nearly all of the time")
    for load in part.open_loop:
        found += [f"at {load.rate_per_s:g}/s: {fault}" for fault in _faults_under(load, experiment)]
    return found


def generator_full(part: ArmBlock, experiment: PlannedExperiment) -> bool:
    """Whether the arm's throughput is only a lower bound: the generator's cores were full while the stack's idled.

    Where the stack's CPU time is not known it is not known to have been full.
    """
    busy = _share(part.generator_cpu_ns, part.elapsed_ns * len(experiment.cores.generator))
    hops = [part.cpu_ns(hop) for hop in part.hops]
    idle = _idle(hops, part.generator_cpu_ns, part.elapsed_ns, experiment)
    return busy >= FULL and (idle is None or idle > IDLE_LEAST)


def _of_engine(block: Block) -> list[Fault]:
    """The engine's own judgement: CPU time outside an arm's slices, connections that would not open, late requests."""
    ends: list[tuple[str, End]] = [] if block.end is None else [("", block.end)]
    ends += [("open loop: ", end) for end in block.open_ends]
    return [(end.validity, where + reason) for where, end in ends for reason in end.reasons]


def _of_machine(block: Block, experiment: PlannedExperiment) -> list[Fault]:
    found: list[Fault] = []
    cores = len({*experiment.cores.stack, *experiment.cores.generator})
    loaded_ns = sum(end.elapsed_ns for end in [block.end, *block.open_ends] if end is not None)
    foreign = _share(block.foreign_cpu_ns, loaded_ns * cores)
    if foreign > FOREIGN_AT_MOST:
        found.append((Validity.SUSPECT, f"other programs took {foreign:.0%} of the CPU time of {cores} cores"))
    steal = _share(block.steal_ns, block.elapsed_ns * cores)
    if steal > STEAL_AT_MOST:
        found.append((Validity.VOID, f"the hypervisor kept {steal:.0%} of the time of {cores} cores"))
    throttled = _share(block.throttled_ns or 0, block.elapsed_ns)
    if throttled > THROTTLED_AT_MOST:
        found.append(
            (Validity.VOID, f"a CPU quota of the cgroup kept this run waiting for {throttled:.1%} of the time")
        )
    if (block.swapped_pages or 0) > SWAPPED_AT_MOST:
        found.append((Validity.VOID, f"the machine swapped {block.swapped_pages} pages in and out"))
    if abs(block.clock_step_ns or 0) > CLOCK_STEP_AT_MOST_NS:
        found.append((Validity.VOID, f"the wall clock was set by {(block.clock_step_ns or 0) / 1e6:+.0f} ms meanwhile"))
    stall_ns = block.longest_stall_ns or 0
    if open_loop.is_capped(stall_ns):
        words = (
            f"the generator's core stood still for {stall_ns / 1e6:.0f} ms: no slice of the open loop is long enough"
        )
        found.append((Validity.SUSPECT, words))
    return found


def _of_arm(part: ArmBlock, experiment: PlannedExperiment) -> list[Fault]:
    """What the instrument's accounts of one arm say against it."""
    found = [*_little(part.slices, part.totals), *_stalled(part.slices, part.totals)]
    for load in part.open_loop:
        faults = [
            *_little(load.slices, load.totals),
            *_stalled(load.slices, load.totals),
            *_not_offered(load, experiment),
        ]
        found += [(verdict, f"at {load.rate_per_s:g}/s {reason}") for verdict, reason in faults]
    return [(verdict, f"{part.name}: {reason}") for verdict, reason in found]


def _little(slices: Sequence[Slice], totals: ArmTotals | None) -> list[Fault]:
    """Service times against the requests in flight over time, which the engine counts apart from them.

    They must agree to the request (the ages of what is in flight at a slice's edges are taken into account), as far as
    a histogram of three figures goes. Not judged where requests failed, which have no service time, or with few.
    """
    answers = sum(each.answers for each in slices)
    failed = sum(number for each in slices for kind, number in each.errors.items() if kind not in ("connect", "tls"))
    if totals is None or answers < LITTLE_ANSWERS_LEAST or failed > answers * LITTLE_ERRORS_AT_MOST:
        return []
    expected = 0
    for each in slices:
        if each.in_flight_ns is None or each.aged_ns is None:
            return []
        expected += each.in_flight_ns - each.aged_ns
    served = histogram.merge([totals.service_time])
    off = _share(served.mean_ns * served.total, expected) - 1
    if abs(off) <= LITTLE_AT_MOST:
        return []
    return [
        (Validity.VOID, f"the service times are {off:+.1%} off from the requests in flight over time (Little's law)")
    ]


def _stalled(slices: Sequence[Slice], totals: ArmTotals | None) -> list[Fault]:
    """A mean above p99: something stood still. With a single slice nobody can tell whether it was the arm."""
    if not _has_long_tail(totals) or _is_its_way(slices):
        return []
    words = "its mean time is above its p99: something stood still"
    return [(Validity.VOID if len(slices) > 1 else Validity.SUSPECT, words)]


def _has_long_tail(totals: ArmTotals | None) -> bool:
    """Whether the mean is above p99: of the response times where there are any, else of the service times."""
    if totals is None:
        return False
    times = histogram.merge([totals.response_time or totals.service_time])
    p99 = histogram.quantile(times, 0.99)
    return times.total >= TAIL_ANSWERS_LEAST and p99 is not None and times.mean_ns > p99


def _is_its_way(slices: Sequence[Slice]) -> bool:
    """Whether every slice had the same mean time in flight, so that no single moment made the tail."""
    means = [each.in_flight_ns / each.answers for each in slices if each.in_flight_ns is not None and each.answers]
    return len(means) > 1 and max(means) < STALL_FACTOR * statistics.median_low(means)


def _not_offered(load: OpenLoad, experiment: PlannedExperiment) -> list[Fault]:
    """The generator's own faults under an offered load."""
    found: list[Fault] = []
    busy = _generator_busy(load, experiment)
    if busy >= FULL:
        found.append((Validity.VOID, f"the generator's cores were {busy:.0%} busy: it was saturated"))
    late, not_sent = _missed(load)
    if late > LATE_AT_MOST and not _starved(load, experiment):
        found.append((Validity.VOID, f"{late:.1%} of the requests were sent late though a connection was free"))
    if not_sent > MISSED_AT_MOST and _could_have_sent(load, experiment):
        found.append((Validity.VOID, f"{not_sent:.1%} of the requests were not sent though the stack was idle"))
    return found


def _faults_under(load: OpenLoad, experiment: PlannedExperiment) -> list[str]:
    """The arm's own faults under an offered load."""
    found = []
    if errors := _errors(load.totals.errors):
        found.append(errors)
    late, not_sent = _missed(load)
    missed = not_sent if not _could_have_sent(load, experiment) else 0.0
    missed += late if _starved(load, experiment) else 0.0
    due, answers = _sum(load, "due"), _sum(load, "answers")
    if missed > MISSED_AT_MOST:
        found.append(f"it cannot carry this load: {missed:.1%} of the requests found no connection free in time")
    elif answers < due * (1 - MISSED_AT_MOST) and late <= LATE_AT_MOST and not_sent <= MISSED_AT_MOST:
        found.append(f"it cannot carry this load: {1 - answers / due:.1%} of the requests had no answer in time")
    if _has_long_tail(load.totals) and _is_its_way(load.slices):
        found.append("its mean response time is above its p99: few requests take nearly all of the time")
    return found


def _missed(load: OpenLoad) -> tuple[float, float]:
    """Shares of the due requests: sent late though a connection was free, and never sent."""
    due = _sum(load, "due")
    return _share(_sum(load, "late"), due), _share(_sum(load, "not_sent"), due)


def _starved(load: OpenLoad, experiment: PlannedExperiment) -> bool:
    """Whether a full stack kept the generator, on a core that both have, from sending in time."""
    idle = _idle_under(load, experiment)
    return experiment.cores.shared and idle is not None and idle <= IDLE_LEAST


def _could_have_sent(load: OpenLoad, experiment: PlannedExperiment) -> bool:
    """Whether requests stayed unsent though connections were free, as a rule, and the stack had nothing to do."""
    idle = _idle_under(load, experiment)
    in_flight = _share(_sum(load, "in_flight_ns"), _sum(load, "elapsed_ns"))
    return idle is not None and idle > IDLE_LEAST and in_flight < experiment.workload.connections / 2


def _generator_busy(load: OpenLoad, experiment: PlannedExperiment) -> float:
    """The share of its cores that the generator used for anything but waiting for the next request."""
    used = _sum(load, "generator_cpu_ns") - _sum(load, "spin_ns")
    return _share(used, _sum(load, "elapsed_ns") * len(experiment.cores.generator))


def _idle_under(load: OpenLoad, experiment: PlannedExperiment) -> float | None:
    """The share of the stack's cores that nobody used under an offered load."""
    names = {name for each in load.slices for name in each.cpu_ns}
    hops: list[int | None] = []
    for name in names:
        used = [each.cpu_ns.get(name) for each in load.slices]
        known = [ns for ns in used if ns is not None]
        hops.append(sum(known) if len(known) == len(used) else None)
    generator_ns = _sum(load, "generator_cpu_ns") - _sum(load, "spin_ns")
    return _idle(hops, generator_ns, _sum(load, "elapsed_ns"), experiment)


def _idle(
    hops: Sequence[int | None], generator_ns: int, elapsed_ns: int, experiment: PlannedExperiment
) -> float | None:
    """The share of the stack's cores that neither its hops nor, where it shares one, the generator used."""
    known = [ns for ns in hops if ns is not None]
    if not known or len(known) < len(hops) or not elapsed_ns:
        return None
    busy = sum(known) + (generator_ns if experiment.cores.shared else 0)
    return 1 - busy / (elapsed_ns * len(experiment.cores.stack))


def _uneven(part: ArmBlock, experiment: PlannedExperiment) -> list[str]:
    """Workers of one hop that took very different shares of the load, where that left cores idle.

    With fewer cores than workers the shares say little; with all cores busy an even load could not have had more.
    """
    hops = [part.cpu_ns(hop) for hop in part.hops]
    idle = _idle(hops, part.generator_cpu_ns, part.elapsed_ns, experiment)
    if idle is None or idle <= IDLE_LEAST:
        return []
    found = []
    cores = len(experiment.cores.stack)
    for hop, workers in part.worker_cpu_ns.items():
        if not 1 < len(workers) <= cores or not sum(workers) or hop in part.restarts:
            continue
        times = max(workers) * len(workers) / sum(workers)
        if times >= UNEVEN:
            found.append(f"the busiest of {len(workers)} workers of {hop} did {times:.1f} times its even share")
    return found


def _errors(errors: dict[str, int]) -> str | None:
    """`3 errors: timeout 2, read 1`; None without any."""
    kinds = {kind: number for kind, number in errors.items() if number}
    if not kinds:
        return None
    total = sum(kinds.values())
    return f"{total} error{'s' * (total > 1)}: {', '.join(f'{kind} {number}' for kind, number in kinds.items())}"


def _sum(load: OpenLoad, key: str) -> int:
    return sum(getattr(each, key) or 0 for each in load.slices)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
