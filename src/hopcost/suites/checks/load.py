"""What an experiment's load must not say: its sweep, its soak, its slices, its requests."""

from __future__ import annotations

import re

from hopcost.errors import UsageError, nearest
from hopcost.suites.articles.published import label, same
from hopcost.suites.checks.known import refuse_unknown
from hopcost.suites.checks.published import check_protocol, check_rows
from hopcost.suites.checks.requests import check_requests
from hopcost.suites.experiments.experiment import Experiment, Slices
from hopcost.suites.experiments.sweep import experiment_at


def check_load(experiment: Experiment, programs: set[str], where: str) -> None:
    """How it is loaded: sweep, soak, whole slices, header fields, the article's figures and its protocol."""
    if experiment.sweep is not None:
        check_sweep(experiment, where)
        words = experiment.sweep.key.split(".")
        if words[0] == "settings":
            refuse_unknown(words[1], programs, f"{where}: sweep.key: no arm uses the program '{words[1]}'")
    if experiment.slice_s is not None and experiment.slices is not Slices.WHOLE:
        raise UsageError(f"{where}: slice_s: the slices are interleaved", 'slices = "whole"')
    if experiment.soak is not None:
        if len(experiment.arms) != 2:
            raise UsageError(
                f"{where}: soak: {len(experiment.arms)} arms", "two: the one that is soaked, and a baseline beside it"
            )
        if experiment.slices is Slices.WHOLE:
            raise UsageError(f"{where}: soak: not in whole slices", "a soak has slices of its own: leave `slices` out")
    if experiment.restart is not None and experiment.soak is not None:
        raise UsageError(f"{where}: both restart and soak", "one experiment for each")
    check_requests(experiment, where)
    if experiment.rates and not experiment.open_loop:
        raise UsageError(f"{where}: rates: no load is offered", "leave `open_loop = false` out, or `rates`")
    points = experiment.sweep.values if experiment.sweep is not None else None
    check_rows(experiment.published, experiment.arms, points, experiment.control, where)
    if experiment.as_published is not None:
        check_protocol(experiment.as_published, where)


def check_sweep(experiment: Experiment, where: str) -> None:
    """A key that can be swept, values that it takes, each once, and quick ones among them."""
    sweep = experiment.sweep
    assert sweep is not None, "asked for an experiment with a sweep"
    seen: list[str] = []
    for value in sweep.values:
        if not re.fullmatch(r"[A-Za-z0-9._-]+", label(value)):
            raise UsageError(
                f"{where}: sweep.values: {label(value)!r}", "a value names its point: letters, digits, . _ -"
            )
        if label(value) in seen:
            raise UsageError(f"{where}: sweep.values: {label(value)} stands there twice", "leave one of them out")
        seen.append(label(value))
    for value in sweep.quick or []:
        if not any(same(value, swept) for swept in sweep.values):
            raise UsageError(
                f"{where}: sweep.quick: {label(value)} is not one of its values", nearest(label(value), seen)
            )
    if sweep.quick is not None and not sweep.quick:
        raise UsageError(f"{where}: sweep.quick: empty", "quick = false on the experiment leaves it out of --quick")
    try:
        for value in sweep.values:
            experiment_at(experiment, value)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from error
