"""An arm's own faults: its errors, uneven workers, restarts, a load that it cannot carry. They are its result.

A caveat stands beside the verdict; a veto takes the verdict away, of the figures that it makes meaningless alone.
explain/method-why.md has each rule and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import ArmBlock
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.statistics.figures import load_at, sum_by_kind
from hopcost.statistics.validity.accounts import (
    by_generator,
    could_have_sent,
    has_long_tail,
    idle_share,
    is_even_over_slices,
    is_starved,
    late_most,
    share,
    sum_of_slices,
    unsent_most,
    worst_of,
)
from hopcost.statistics.validity.steady import why_not_steady


class Consequence(Enum):
    """What a fault does to the verdicts on its arm."""

    CAVEAT = "caveat"
    NO_THROUGHPUT = "no verdict on the throughput"
    NO_CPU = "no verdict on the CPU per request of that hop"
    NO_LOAD = "no verdict at that load"
    NO_VERDICT = "no verdict"


class ArmFault(msgspec.Struct, frozen=True):
    """A sentence without the arm's name. `hop` if it is of one hop; `share` if it is of an offered load alone."""

    text: str
    consequence: Consequence
    hop: str | None = None
    share: float | None = None

    def takes_verdict(self, figure: str, share: float | None) -> bool:
        """Whether a figure at a load (None: saturation) has no verdict because of it."""
        match self.consequence:
            case Consequence.NO_THROUGHPUT:
                return figure == "throughput"
            case Consequence.NO_CPU:
                return figure in ("cpu_per_request", f"cpu_per_request:{self.hop}")
            case Consequence.NO_LOAD:
                return share == self.share
            case Consequence.NO_VERDICT:
                return True
        return False

    def concerns(self, share: float | None) -> bool:
        """Whether it stands beside the verdicts at a load: faults of a hop do so at all loads."""
        return share == self.share or self.hop is not None


def faults_of_arm(parts: Sequence[ArmBlock], experiment: PlannedExperiment) -> list[ArmFault]:
    """What the arm itself did wrong, over its part of each block that counts."""
    faults = []
    errors = sum_by_kind(part.errors for part in parts)
    if text := _errors(errors):
        answers = sum(part.answers for part in parts)
        faults.append(ArmFault(text, _of_errors(errors, answers, Consequence.NO_THROUGHPUT)))
    faults += _uneven(parts, experiment)
    for hop, ended in sum_by_kind(part.restarts for part in parts).items():
        text = f"{ended} process{'es' * (ended > 1)} of {hop} ended under load: it was restarted, or is lost"
        faults.append(ArmFault(text, Consequence.NO_CPU, hop))
    tails = sum(has_long_tail(part.totals) and is_even_over_slices(part.slices) for part in parts)
    if tails:
        text = "its mean service time is above its p99: few requests take nearly all of the time"
        faults.append(ArmFault(text + _in_starts(tails, parts), Consequence.CAVEAT))
    for load_share in dict.fromkeys(load.share for part in parts for load in part.open_loop):
        loads = [load for part in parts if (load := load_at(part, load_share)) is not None]
        faults += _faults_under(loads, experiment)
    if why := why_not_steady(parts):
        faults.append(ArmFault(why, Consequence.NO_VERDICT))
    return faults


def is_generator_full(part: ArmBlock, experiment: PlannedExperiment) -> bool:
    """Whether the arm's throughput is only a lower bound: the generator's cores were full while the stack's idled.

    A stack whose CPU time is unknown counts as idle.
    """
    cores = len(experiment.cores.generator)
    busy = share(part.generator_cpu_ns, part.elapsed_ns * cores)
    if part.slices:  # no other generator in place of the engine
        busy = worst_of(by_generator(part.slices), lambda own: share(own.cpu_ns, own.elapsed_ns * cores)).share
    hops = [part.cpu_ns(hop) for hop in part.hops]
    idle = idle_share(hops, part.generator_cpu_ns, part.elapsed_ns, experiment)
    return busy >= METHOD.full_share and (idle is None or idle > METHOD.min_idle_share)


def _faults_under(loads: Sequence[OpenLoad], experiment: PlannedExperiment) -> list[ArmFault]:
    """The arm's own faults under an offered load, one of each block that has it."""
    at, load_share = f"at {loads[0].rate_per_s:g}/s: ", loads[0].share
    faults = []
    errors = sum_by_kind(load.totals.errors for load in loads)
    if text := _errors(errors):
        answers = sum(sum_of_slices(load, "answers") for load in loads)
        faults.append(ArmFault(at + text, _of_errors(errors, answers, Consequence.NO_LOAD), share=load_share))
    unable = [text for load in loads if (text := _why_not_carried(load, experiment)) is not None]
    if unable:
        text = f"{at}it cannot carry this load: {unable[0]}" + _in_starts(len(unable), loads)
        faults.append(ArmFault(text, Consequence.NO_LOAD, share=load_share))
    tails = sum(has_long_tail(load.totals) and is_even_over_slices(load.slices) for load in loads)
    if tails:
        text = f"{at}its mean response time is above its p99: few requests take nearly all of the time"
        faults.append(ArmFault(text + _in_starts(tails, loads), Consequence.CAVEAT, share=load_share))
    return faults


def _why_not_carried(load: OpenLoad, experiment: PlannedExperiment) -> str | None:
    """Of all its requests, whichever generator made them."""
    due, answers = sum_of_slices(load, "due"), sum_of_slices(load, "answers")
    missed = 0.0 if could_have_sent(load, experiment) else share(sum_of_slices(load, "not_sent"), due)
    missed += share(sum_of_slices(load, "late"), due) if is_starved(load, experiment) else 0.0
    if missed > METHOD.max_missed_share:
        return f"{missed:.1%} of the requests found no connection free in time"
    was_offered = late_most(load).share <= METHOD.max_late_share
    was_offered &= unsent_most(load).share <= METHOD.max_missed_share
    if answers < due * (1 - METHOD.max_missed_share) and was_offered:
        return f"{1 - answers / due:.1%} of the requests had no answer in time"
    return None


def _uneven(parts: Sequence[ArmBlock], experiment: PlannedExperiment) -> list[ArmFault]:
    """Hops whose workers took very different shares of the load, if that left cores idle.

    With fewer cores than workers the shares say little. With all cores busy an even load would not have been faster.
    """
    worst: dict[str, list[tuple[float, int]]] = {}
    cores = len(experiment.cores.stack)
    for part in parts:
        hops = [part.cpu_ns(hop) for hop in part.hops]
        idle = idle_share(hops, part.generator_cpu_ns, part.elapsed_ns, experiment)
        if idle is None or idle <= METHOD.min_idle_share:
            continue
        for hop, workers in part.worker_cpu_ns.items():
            if not 1 < len(workers) <= cores or not sum(workers) or hop in part.restarts:
                continue
            times = max(workers) * len(workers) / sum(workers)
            if times >= METHOD.uneven_factor:
                worst.setdefault(hop, []).append((times, len(workers)))
    faults = []
    for hop, shares in worst.items():
        times, count = max(shares)
        text = f"one of {hop}'s {count} workers did {100 * times / count:.0f} % of the work"
        faults.append(ArmFault(text + _in_starts(len(shares), parts), Consequence.CAVEAT, hop))
    return faults


def _in_starts(count: int, starts: Sequence[object]) -> str:
    """` (in 3 of 6 starts)`; nothing of a single start."""
    return f" (in {count} of {len(starts)} starts)" if len(starts) > 1 else ""


def _of_errors(errors: dict[str, int], answers: int, veto: Consequence) -> Consequence:
    """A few errors in a million answers change no ratio; many may be cheap answers."""
    return veto if sum(errors.values()) >= METHOD.max_error_share * answers else Consequence.CAVEAT


def _errors(errors: dict[str, int]) -> str | None:
    """`3 errors: timeout 2, read 1`; None without any."""
    kinds = {kind: number for kind, number in errors.items() if number}
    if not kinds:
        return None
    count = sum(kinds.values())
    return f"{count} error{'s' * (count > 1)}: {', '.join(f'{kind} {number}' for kind, number in kinds.items())}"
