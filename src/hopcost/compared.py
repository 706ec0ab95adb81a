"""What is said of an arm beside the baseline: each figure's ratio, its interval, and the verdict read off it. Pure.

An arm with faults of its own has figures but no verdict; nor has one whose reason lies in the run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost import comparison, open_figures, statistics, validity, verdict
from hopcost.comparison import Arms, Figure
from hopcost.plan import PlannedExperiment
from hopcost.recorded import Block
from hopcost.statistics import Interval
from hopcost.verdict import Better, Verdict

THROUGHPUT, CPU = "throughput", "cpu_per_request"
BLOCKS_AT_LEAST = 3  # fewer valid ones give no verdict
GENERATOR_FULL = "the generator was full while the stack idled: its throughput is a lower bound"


class Comparison(msgspec.Struct, frozen=True):
    """One figure of an arm ÷ the baseline's; `load_per_s` is None at saturation.

    The interval is one of all arms of the experiment, which hold together at 95 % (Bonferroni). `no_verdict` says why
    the verdict is unknown whatever the interval.
    """

    figure: str
    load_per_s: float | None
    ratio: Interval | None
    verdict: Verdict
    no_verdict: str | None = None


class Ask(msgspec.Struct, frozen=True):
    """A figure to be compared, and which way it is better."""

    name: str
    figure: Figure
    better: Better
    share: float | None = None


def error_at_end(looks: Sequence[int], arms: Arms, ending: str | None) -> float:
    """The error that the intervals of a figure share in the report: a look's, or what is left where looks are over.

    `ending` says why the experiment stopped (`record.Ending`); who interrupts a run may have seen its intervals.
    """
    if ending not in ("budget", "blocks"):
        return statistics.error_per_look(len(looks))
    others = [name for name in arms.names if name not in (arms.twice, arms.again)]  # which are in all blocks of three
    blocks = max((len(arms.of(name)) for name in others), default=0)
    return statistics.error_left(looks, blocks)


def error_of_each(experiment: PlannedExperiment, error: float) -> float:
    """The error of one arm's interval, so that those of all arms together have `error` (Bonferroni).

    Beside a baseline that was chosen afterwards it is that of all pairs of arms.
    """
    arms = sum(arm.copy_of is None for arm in experiment.arms)
    intervals = arms - 1 if experiment.baseline == experiment.twice else arms * (arms - 1) // 2
    return error / max(1, intervals)


def asks(arms: Arms, name: str, p99_agrees: dict[float, bool | None]) -> list[Ask]:
    """What can be compared of an arm: at saturation, and at each offered load of the record."""
    parts, baseline = arms.of(name), arms.of(arms.baseline)
    shared = [hop for hop in parts[0].hops if hop in baseline[0].hops and len(parts[0].hops) > 1]
    found = [
        Ask(THROUGHPUT, comparison.throughput, Better.HIGHER),
        Ask(CPU, comparison.cpu_per_request, Better.CHEAPER),
        *(Ask(f"{CPU}:{hop}", comparison.cpu_of(hop), Better.CHEAPER) for hop in shared),
    ]
    for share in dict.fromkeys(load.share for part in parts for load in part.open_loop):
        found.append(Ask(CPU, open_figures.cpu_per_request(share), Better.CHEAPER, share))
        found += [
            Ask(f"{CPU}:{hop}", open_figures.cpu_per_request(share, hop), Better.CHEAPER, share) for hop in shared
        ]
        found += [
            Ask(f"response_{each}", open_figures.response_time(share, each), Better.SHORTER, share)
            for each in ("p50", "p99")
            if (each == "p50" or p99_agrees.get(share))
            and all(open_figures.is_shown(both, share, each) for both in (parts, baseline))
        ]
    return found


def of_arm(
    arms: Arms,
    experiment: PlannedExperiment,
    name: str,
    *,
    error: float,
    margin: float,
    withheld: str | None,
    p99_agrees: dict[float, bool | None],
) -> list[Comparison]:
    """All comparisons of an arm with the baseline; of the baseline itself, none. All arms share the `error`."""
    if name == experiment.baseline or not arms.of(name) or not arms.of(experiment.baseline):
        return []
    own_error = error_of_each(experiment, error)
    withheld = withheld or fault(arms, experiment, name)
    found = []
    for ask in asks(arms, name, p99_agrees):
        interval = arms.ratio(name, ask.figure, own_error)
        if interval is None and ask.share is not None:
            continue  # too few samples: not shown
        floor = arms.floor(ask.figure, error)
        why = withheld or too_few(arms.count(name, ask.figure))
        if why is None and ask.name == THROUGHPUT and (bound := _bound(arms, experiment, name)) is not None:
            why = f"{bound}: {GENERATOR_FULL}"
        found.append(
            Comparison(
                figure=ask.name,
                load_per_s=None if ask.share is None else open_figures.rate_per_s(arms.of(name), ask.share),
                ratio=interval,
                verdict=verdict.judge(None if why else interval, verdict.margin(floor, margin), ask.better),
                no_verdict=why,
            )
        )
    return found


def too_few(blocks: int) -> str | None:
    """Why so many valid blocks give no verdict."""
    return None if blocks >= BLOCKS_AT_LEAST else f"too few valid blocks: {blocks}, {BLOCKS_AT_LEAST} needed"


def fault(arms: Arms, experiment: PlannedExperiment, name: str) -> str | None:
    """Why there is no verdict on an arm: what it, or what it is compared with, did wrong."""
    for each in _measured_by(arms, name):
        found = own_fault(arms, experiment, each)
        if found is not None:
            return found if each == name else f"{each}: {found}"
    return None


def own_fault(arms: Arms, experiment: PlannedExperiment, name: str) -> str | None:
    """What an arm did wrong first: how it failed, or a fault in one of its blocks."""
    faults = (fault for part in arms.of(name) for fault in validity.faults_of_arm(part, experiment))
    return f"it failed in block {arms.failed[name]}" if name in arms.failed else next(faults, None)


def biased(experiments: Sequence[PlannedExperiment], blocks: Sequence[Block]) -> list[str]:
    """The experiments of a run whose A/A arm convicts the instrument; they and both figures share the error."""
    error = verdict.AA_ERROR / (2 * max(1, len(experiments)))
    found = []
    for experiment in experiments:
        arms = Arms(experiment, [block for block in blocks if block.experiment == experiment.name])
        floors = [arms.floor(each, error) for each in (comparison.throughput, comparison.cpu_per_request)]
        if any(verdict.is_biased(floor) for floor in floors):
            found.append(experiment.name)
    return found


def settled(
    experiment: PlannedExperiment, blocks: Sequence[Block], *, error: float, margin: float, target: float
) -> bool:
    """Whether throughput and CPU per request of every arm, and of the A/A arm, are as precise as was asked for.

    That is: the interval is narrower than the target, or holds no end of the margin. An arm that failed is not waited
    for.
    """
    arms = Arms(experiment, blocks)
    others = [arm.name for arm in experiment.arms if arm.name != experiment.baseline]
    names = [name for name in others if arms.of(name) and name not in arms.failed]
    if not names:
        return False
    for figure in (comparison.throughput, comparison.cpu_per_request):
        floor = arms.floor(figure, error)
        within = verdict.margin(floor, margin)
        for name in names:
            interval = arms.ratio(name, figure, error_of_each(experiment, error))
            if interval is None and figure is comparison.cpu_per_request:
                continue  # a hop whose CPU time is not known has none in any block
            is_again = name == arms.again
            if not verdict.is_settled(floor if is_again else interval, margin if is_again else within, target):
                return False
    return True


def _bound(arms: Arms, experiment: PlannedExperiment, name: str) -> str | None:
    """Which of the arm and the baseline the generator was full for: either way their quotient is the generator's."""
    for one in _measured_by(arms, name):
        if any(validity.generator_full(each, experiment) for each in arms.of(one)):
            return one
    return None


def _measured_by(arms: Arms, name: str) -> list[str]:
    """The arms that a comparison is made of: both, and the second run of what runs twice where that is one of them.

    Of arms that never share a block that one is between them, too.
    """
    both = [name, arms.baseline]
    if arms.never_together(*both):
        both.append(arms.twice)
    return [*both, arms.again] if arms.again is not None and arms.twice in both else both
