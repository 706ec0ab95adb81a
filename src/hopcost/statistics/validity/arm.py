"""An arm's own faults: its errors, uneven workers, restarts, a load that it cannot carry. They are its result.

docs/methodology.md has each rule and why.
"""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import ArmBlock, OpenLoad
from hopcost.statistics.validity.accounts import (
    could_have_sent,
    has_long_tail,
    idle_share,
    is_even_over_slices,
    is_starved,
    missed_shares,
    share,
    sum_of_slices,
)


def faults_of_arm(part: ArmBlock, experiment: PlannedExperiment) -> list[str]:
    """What the arm itself did wrong, in sentences without its name: its result, and no verdict on its speed."""
    faults = []
    if errors := _errors(part.errors):
        faults.append(errors)
    faults += _uneven(part, experiment)
    for hop, ended in part.restarts.items():
        faults.append(f"{ended} process{'es' * (ended > 1)} of {hop} ended under load: it was restarted, or is lost")
    if has_long_tail(part.totals) and is_even_over_slices(part.slices):
        faults.append("its mean service time is above its p99: few requests take nearly all of the time")
    for load in part.open_loop:
        faults += [f"at {load.rate_per_s:g}/s: {fault}" for fault in _faults_under(load, experiment)]
    return faults


def is_generator_full(part: ArmBlock, experiment: PlannedExperiment) -> bool:
    """Whether the arm's throughput is only a lower bound: the generator's cores were full while the stack's idled.

    A stack whose CPU time is unknown counts as idle.
    """
    busy = share(part.generator_cpu_ns, part.elapsed_ns * len(experiment.cores.generator))
    hops = [part.cpu_ns(hop) for hop in part.hops]
    idle = idle_share(hops, part.generator_cpu_ns, part.elapsed_ns, experiment)
    return busy >= METHOD.full_share and (idle is None or idle > METHOD.min_idle_share)


def _faults_under(load: OpenLoad, experiment: PlannedExperiment) -> list[str]:
    """The arm's own faults under an offered load."""
    faults = []
    if errors := _errors(load.totals.errors):
        faults.append(errors)
    late, not_sent = missed_shares(load)
    missed = not_sent if not could_have_sent(load, experiment) else 0.0
    missed += late if is_starved(load, experiment) else 0.0
    due, answers = sum_of_slices(load, "due"), sum_of_slices(load, "answers")
    if missed > METHOD.max_missed_share:
        faults.append(f"it cannot carry this load: {missed:.1%} of the requests found no connection free in time")
    elif (
        answers < due * (1 - METHOD.max_missed_share)
        and late <= METHOD.max_late_share
        and not_sent <= METHOD.max_missed_share
    ):
        faults.append(f"it cannot carry this load: {1 - answers / due:.1%} of the requests had no answer in time")
    if has_long_tail(load.totals) and is_even_over_slices(load.slices):
        faults.append("its mean response time is above its p99: few requests take nearly all of the time")
    return faults


def _uneven(part: ArmBlock, experiment: PlannedExperiment) -> list[str]:
    """Hops whose workers took very different shares of the load, if that left cores idle.

    With fewer cores than workers the shares say little. With all cores busy an even load would not have been faster.
    """
    hops = [part.cpu_ns(hop) for hop in part.hops]
    idle = idle_share(hops, part.generator_cpu_ns, part.elapsed_ns, experiment)
    if idle is None or idle <= METHOD.min_idle_share:
        return []
    faults = []
    cores = len(experiment.cores.stack)
    for hop, workers in part.worker_cpu_ns.items():
        if not 1 < len(workers) <= cores or not sum(workers) or hop in part.restarts:
            continue
        times = max(workers) * len(workers) / sum(workers)
        if times >= METHOD.uneven_factor:
            faults.append(f"the busiest of {len(workers)} workers of {hop} did {times:.1f} times its even share")
    return faults


def _errors(errors: dict[str, int]) -> str | None:
    """`3 errors: timeout 2, read 1`; None without any."""
    kinds = {kind: number for kind, number in errors.items() if number}
    if not kinds:
        return None
    count = sum(kinds.values())
    return f"{count} error{'s' * (count > 1)}: {', '.join(f'{kind} {number}' for kind, number in kinds.items())}"
