"""What a suite means on this machine: experiments, arms with the baseline's second run, cores, rounds, time.

Pure: what is installed and what the machine is come in as arguments; nothing is started or read here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from hopcost.errors import CannotMeasure, UsageError
from hopcost.plan import experiment as plan_experiment
from hopcost.plan.experiment import decide
from hopcost.plan.method import MIN_MARGIN, TARGET_WIDTH
from hopcost.plan.options import IdleTimeout, MachineLimits, Way, no_idle_timeout
from hopcost.plan.plan import LeftOut, Plan, PlannedExperiment, Point
from hopcost.plan.slices import WARM_UP_LEAST_NS
from hopcost.programs.definition import Installed
from hopcost.suites.experiment import Experiment
from hopcost.suites.published import label
from hopcost.suites.suite import Suite
from hopcost.suites.sweep import AT, points

LOOKS = (6, 10, 16, 24)  # blocks after which the width is looked at; few and fixed, so that looking costs a known error
BLOCK_S_AT_MOST = 40.0  # of load: longer blocks would leave too few of them in a budget
QUICK_BUDGET_S = 108.0
QUICK_BUDGET_S_OF_MANY = 165.0  # of more than QUICK_FEW experiments: under three minutes with what comes before
QUICK_FEW = 3
FULL_BUDGET_S = 1800.0
FULL_S_PER_WEIGHT = 120.0  # where that is more in all

WARM_UP_MOST_NS, QUICK_WARM_UP_NS = 3_000_000_000, 400_000_000


def make_plan(
    suite: Suite,
    chosen: list[str],
    *,
    quick: bool,
    budget_s: float | None,
    seed: int,
    installed: Mapping[str, Installed],
    allowed_cores: list[int],
    siblings: dict[int, list[int]],
    open_files: int,
    idle_timeout_s: IdleTimeout = no_idle_timeout,
    missing_peers: Mapping[str, str] | None = None,
    soak_length_s: float | None = None,
    peer: str | None = None,
    as_published: bool = False,
    scale: float = 1.0,
    target: float = TARGET_WIDTH,
    margin: float = MIN_MARGIN,
) -> Plan:
    """The plan for the chosen experiments (all, when none is named); `open_files` is the hard limit of a process.

    `idle_timeout_s` gives, for a program under settings, after how long it drops an idle connection. `missing_peers`
    are the load generators that are not installed, and what would bring them. `peer` drives the arms in our engine's
    place; `as_published` takes the articles' own protocols, scaled. `target` and `margin` are fractions of a ratio.

    CannotMeasure when no experiment can run here; UsageError for a budget that is no time.
    """
    for word, seconds in (("--budget", budget_s), ("--soak-length", soak_length_s), ("--scale", scale)):
        if seconds is not None and not math.isfinite(seconds):
            raise UsageError(f"{word}: expected a number of seconds, got {seconds}")
    host = MachineLimits(installed, allowed_cores, siblings, open_files, idle_timeout_s, missing_peers or {})
    way = Way(quick=quick, peer=peer, as_published=as_published)
    wanted, not_quick = choose(suite, chosen, way)
    experiments: list[PlannedExperiment] = []
    left_out: list[LeftOut] = []
    for point, experiment in wanted:
        try:
            experiments += decide(suite, experiment, point, host, way)
        except CannotMeasure as error:
            left_out.append(LeftOut(name=experiment.name, reason=error.message, remedy=error.hint))
    if not experiments:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in left_out)
        raise CannotMeasure(f"no experiment of {suite.name} can run here: {reasons}", left_out[0].remedy)
    if budget_s is None:
        budget_s = _budget_s(experiments, quick)
    weights = sum(each.weight for each in experiments)
    shares_s = [budget_s * each.weight / weights for each in experiments]
    soaked = [
        plan_experiment.soaked(each, share_s, soak_length_s, quick)
        for each, share_s in zip(experiments, shares_s, strict=True)
    ]
    return Plan(
        suite=suite.name,
        title=suite.title,
        analysis=suite.analysis,
        quick=quick,
        seed=seed,
        budget_s=budget_s,
        warm_up_least_ns=QUICK_WARM_UP_NS if quick else WARM_UP_LEAST_NS,
        warm_up_most_ns=QUICK_WARM_UP_NS if quick else WARM_UP_MOST_NS,
        looks=list(LOOKS[:1] if quick else LOOKS),
        target_width=target,
        margin=margin,
        experiments=[
            each if quick else plan_experiment.within_budget(each, share_s, LOOKS[0], host)
            for each, share_s in zip(soaked, shares_s, strict=True)
        ],
        left_out=left_out,
        not_quick=not_quick,
        peer=peer,
        as_published=as_published,
        scale=scale,
    )


def choose(suite: Suite, chosen: list[str], way: Way) -> tuple[list[tuple[Point | None, Experiment]], list[str]]:
    """The experiments to run, sweeps as their points, and the names of those that `--quick` leaves out.

    A point that is named runs in any case; a sweep that is named runs the values that it has for `--quick`. By the
    articles' protocols run those that have one.
    """
    wanted: dict[str, tuple[Point | None, Experiment]] = {}
    not_quick: list[str] = []
    for name in dict.fromkeys(chosen) or [experiment.name for experiment in suite.experiments]:
        named = suite.experiment(name)
        first = suite.experiment(name.partition(AT)[0])
        if way.as_published and first.as_published is None:
            continue
        if way.quick and not chosen and not first.quick:
            not_quick.append(name)
            continue
        if first.sweep is None:
            wanted[name] = (None, named)
            continue
        quick_values = [label(value) for value in first.sweep.quick or first.sweep.values]
        for value, experiment in points(first):
            assert value is not None, "of a sweep"
            if named is not first:
                if experiment.name != name:
                    continue
            elif way.quick and label(value) not in quick_values:
                not_quick.append(experiment.name)
                continue
            wanted[experiment.name] = (Point(first.name, first.sweep.key, value), experiment)
    if not wanted and way.as_published:
        has = [each.name for each in suite.experiments if each.as_published is not None]
        raise UsageError(
            "--as-published: what was chosen has no protocol of an article",
            f"these have: {', '.join(has)}" if has else f"no experiment of {suite.name} has `as_published`",
        )
    if not wanted:
        raise UsageError(f"suite {suite.name} has nothing for --quick", "name an experiment, or leave --quick out")
    return list(wanted.values()), not_quick


def _budget_s(experiments: list[PlannedExperiment], quick: bool) -> float:
    if quick:
        return QUICK_BUDGET_S if len({each.suite_name for each in experiments}) <= QUICK_FEW else QUICK_BUDGET_S_OF_MANY
    return max(FULL_BUDGET_S, FULL_S_PER_WEIGHT * sum(each.weight for each in experiments))
