"""What is said of an arm beside the baseline: each figure's ratio, its interval, and the verdict read off it. Pure.

An arm with faults of its own has figures but no verdict; nor has one whose reason lies in the run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost import comparison, open_figures, statistics, validity, verdict
from hopcost.comparison import Arms, Figure
from hopcost.plan import PlannedExperiment
from hopcost.recorded import ArmBlock, Block
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
    blocks = max((len(arms.of(name)) for name in arms.names if name not in (arms.baseline, arms.again)), default=0)
    return statistics.error_left(looks, blocks)


def error_of_each(experiment: PlannedExperiment, error: float) -> float:
    """The error of one arm's interval, so that those of all arms together have `error` (Bonferroni)."""
    others = [arm for arm in experiment.arms if arm.copy_of is None and arm.name != experiment.baseline]
    return error / max(1, len(others))


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
        quantiles = ["p50", "p99"] if p99_agrees.get(share) else ["p50"]
        found += [
            Ask(f"response_{each}", open_figures.response_time(share, each), Better.SHORTER, share)
            for each in quantiles
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
        floor = arms.ratio(arms.again, ask.figure, error) if arms.again is not None else None
        why = withheld
        if why is None and ask.name == THROUGHPUT and (bound := _bound(arms, experiment, name)) is not None:
            why = f"{bound}: {GENERATOR_FULL}"
        found.append(
            Comparison(
                figure=ask.name,
                load_per_s=None if ask.share is None else _rate(arms.of(name), ask.share),
                ratio=interval,
                verdict=verdict.judge(None if why else interval, verdict.margin(floor, margin), ask.better),
                no_verdict=why,
            )
        )
    return found


def fault(arms: Arms, experiment: PlannedExperiment, name: str) -> str | None:
    """Why there is no verdict on an arm: what it, or what it is compared with, did wrong."""
    for each in (name, experiment.baseline, arms.again):
        for part in arms.of(each) if each is not None else []:
            found = validity.faults_of_arm(part, experiment)
            if found:
                return found[0] if each == name else f"{each}: {found[0]}"
    return None


def biased(experiments: Sequence[PlannedExperiment], blocks: Sequence[Block]) -> list[str]:
    """The experiments of a run whose A/A arm convicts the instrument; they and both figures share the error."""
    error = verdict.AA_ERROR / (2 * max(1, len(experiments)))
    found = []
    for experiment in experiments:
        arms = Arms(experiment, [block for block in blocks if block.experiment == experiment.name])
        if arms.again is None:
            continue
        ratios = [arms.ratio(arms.again, each, error) for each in (comparison.throughput, comparison.cpu_per_request)]
        if any(verdict.is_biased(ratio) for ratio in ratios):
            found.append(experiment.name)
    return found


def settled(
    experiment: PlannedExperiment, blocks: Sequence[Block], *, error: float, margin: float, target: float
) -> bool:
    """Whether throughput and CPU per request of every arm, and of the A/A arm, are as precise as was asked for.

    That is: the interval is narrower than the target, or holds no end of the margin.
    """
    arms = Arms(experiment, blocks)
    names = [arm.name for arm in experiment.arms if arm.name != experiment.baseline and arms.of(arm.name)]
    if not names:
        return False
    for figure in (comparison.throughput, comparison.cpu_per_request):
        floor = arms.ratio(arms.again, figure, error) if arms.again is not None else None
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
    both = (name, experiment.baseline)
    return next((one for one in both if any(validity.generator_full(each, experiment) for each in arms.of(one))), None)


def _rate(parts: Sequence[ArmBlock], share: float) -> float | None:
    load = next((load for part in parts if (load := open_figures.at(part, share)) is not None), None)
    return None if load is None else load.rate_per_s
