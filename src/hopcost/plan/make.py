"""What a suite means on this machine: experiments, arms with the baseline's copy, cores, rounds, time.

What is installed and what the machine allows come in as arguments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hopcost.errors import CannotMeasure, UsageError, nearest
from hopcost.plan.experiment import decide_experiment, fit_to_share, set_soak_length
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import LeftOut, Plan, PlannedExperiment, Point
from hopcost.suites.articles.published import label
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.sweep import AT, experiment_at
from hopcost.suites.suite import Suite


def make_plan(suite: Suite, names: Sequence[str], options: RunOptions, limits: MachineLimits) -> Plan:
    """The plan for the experiments of these names; for all, if there is no name. The options must have a seed.

    CannotMeasure if no experiment can run here; UsageError for a time that no clock reaches.
    """
    assert options.seed is not None, "whoever measures draws it"
    _refuse_infinite(options)
    chosen, not_quick = choose_experiments(suite, names, options)
    experiments: list[PlannedExperiment] = []
    left_out: list[LeftOut] = []
    for point, experiment in chosen:
        try:
            experiments += decide_experiment(suite, experiment, point, options, limits)
        except CannotMeasure as error:
            left_out.append(LeftOut(name=experiment.name, reason=error.message, remedy=error.hint))
    if not experiments:
        reasons = "; ".join(f"{left.name}: {left.reason}" for left in left_out)
        raise CannotMeasure(f"no experiment of {suite.name} can run here: {reasons}", left_out[0].remedy)
    quick = options.quick
    time_s = _time_s(experiments, quick) if options.time_s is None else options.time_s
    return Plan(
        suite=suite.name,
        title=suite.title,
        analysis=suite.analysis,
        quick=quick,
        seed=options.seed,
        time_s=time_s,
        warm_up_least_ns=METHOD.quick_warm_up_ns if quick else METHOD.min_warm_up_ns,
        warm_up_most_ns=METHOD.max_warm_up_ns,
        precision=options.precision,
        until=options.until,
        decide=_arms_to_decide(experiments, options),
        margin=options.margin,
        experiments=_fit_to_time(experiments, time_s, options, limits),
        left_out=left_out,
        not_quick=not_quick,
        peer=options.peer,
        as_published=options.as_published,
        scale=options.scale,
        on_busy_machine=options.on_busy_machine,
        on_mixed_hosts=options.on_mixed_hosts,
    )


def _arms_to_decide(experiments: Sequence[PlannedExperiment], options: RunOptions) -> list[str]:
    """The arms that `--decide` names; UsageError for one that no experiment compares with its baseline."""
    compared = {arm.name for planned in experiments for arm in planned.arms if arm.copy_of is None}
    compared -= {planned.baseline for planned in experiments}
    for name in options.decide:
        if name not in compared:
            raise UsageError(f"--decide: no stack '{name}' is compared with a baseline", nearest(name, compared))
    return list(options.decide)


def _refuse_infinite(options: RunOptions) -> None:
    numbers = {"--time": options.time_s, "--soak-length": options.soak_length_s, "--scale": options.scale}
    for word, seconds in numbers.items():
        if seconds is not None and not math.isfinite(seconds):
            raise UsageError(f"{word}: expected a number, got {seconds}", f"leave {word} out for what suits the run")


def _fit_to_time(
    experiments: Sequence[PlannedExperiment], time_s: float, options: RunOptions, limits: MachineLimits
) -> list[PlannedExperiment]:
    """The experiments with lengths that fit their shares of the time, by weight."""
    weights = sum(experiment.weight for experiment in experiments)
    fitted = []
    for experiment in experiments:
        share_s = time_s * experiment.weight / weights
        planned = set_soak_length(experiment, share_s, options)
        fitted.append(fit_to_share(planned, share_s, options, limits))
    return fitted


def choose_experiments(
    suite: Suite, names: Sequence[str], options: RunOptions
) -> tuple[list[tuple[Point | None, Experiment]], list[str]]:
    """The experiments to run, sweeps as their points, and the names of those that `--quick` leaves out.

    A point that is named runs in any case. A sweep that is named runs the values that it has for `--quick`. With
    `--as-published` only experiments with a protocol run.
    """
    chosen: dict[str, tuple[Point | None, Experiment]] = {}
    not_quick: list[str] = []
    for name in dict.fromkeys(names) or [experiment.name for experiment in suite.experiments]:
        suite.experiment(name)  # UsageError for a value that the sweep does not have
        whole_name, is_point, _ = name.partition(AT)
        experiment = suite.experiment(whole_name)
        if options.as_published and experiment.as_published is None:
            continue
        if options.quick and not names and not experiment.quick:
            not_quick.append(name)
            continue
        runs = {planned.name: (point, planned) for point, planned in _points(experiment)}
        if is_point:
            runs = {name: runs[name]}
        elif options.quick:
            left_out = [run for run, (point, _) in runs.items() if point and not _is_quick(experiment, point)]
            not_quick += left_out
            runs = {run: runs[run] for run in runs if run not in left_out}
        chosen |= runs
    if not chosen and options.as_published:
        published = [experiment.name for experiment in suite.experiments if experiment.as_published is not None]
        raise UsageError(
            "--as-published: what was chosen has no protocol of an article",
            f"these have: {', '.join(published)}" if published else f"no experiment of {suite.name} has `as_published`",
        )
    if not chosen:
        raise UsageError(f"suite {suite.name} has nothing for --quick", "name an experiment, or leave --quick out")
    return list(chosen.values()), not_quick


def _points(experiment: Experiment) -> list[tuple[Point | None, Experiment]]:
    """The points of a sweep with the experiment at each; the experiment itself without a sweep."""
    if experiment.sweep is None:
        return [(None, experiment)]
    return [
        (Point(experiment.name, experiment.sweep.key, value), experiment_at(experiment, value))
        for value in experiment.sweep.values
    ]


def _is_quick(experiment: Experiment, point: Point) -> bool:
    """Whether `--quick` runs this point of the experiment."""
    assert experiment.sweep is not None, "it has points"
    values = experiment.sweep.quick or experiment.sweep.values
    return label(point.value) in map(label, values)


def _time_s(experiments: list[PlannedExperiment], quick: bool) -> float:
    if quick:
        return METHOD.quick_time_s
    return max(METHOD.full_time_s, METHOD.full_s_per_weight * sum(experiment.weight for experiment in experiments))
