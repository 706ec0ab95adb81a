"""What claims must not say: names that refer to nothing, and what does not go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.suites.arms.arm import Arm
from hopcost.suites.articles.claim import TOLERANCE, Claim, ClaimFigure, ClaimTest, Relation, published_ratio, reference
from hopcost.suites.articles.published import label, same
from hopcost.suites.experiments.experiment import Experiment


def check_claims(
    claims: Sequence[Claim], experiments: Sequence[Experiment], arms: Mapping[str, Arm], path: object
) -> None:
    """UsageError for a name that refers to nothing, twice the same name, and what does not go together."""
    known = {experiment.name: experiment for experiment in experiments}
    seen: set[str] = set()
    for number, claim in enumerate(claims):
        where = f"{path}: claims[{number}] ({claim.name})"
        if claim.name in seen:
            raise UsageError(f"{where}: name: a second claim of this name", "give it another one")
        seen.add(claim.name)
        if (claim.needs.cores > 1 or claim.needs.link_mbit_per_s) and not claim.needs.because:
            raise UsageError(f"{where}: needs.because: missing", "why: it is shown if that is missing")
        for index, test in enumerate(claim.tests):
            place = f"{where}: tests[{index}]"
            if test.experiment not in known:
                raise UsageError(
                    f"{place}: experiment: no experiment '{test.experiment}'", nearest(test.experiment, known)
                )
            _check_test(test, known[test.experiment], arms, place)


def _check_test(test: ClaimTest, experiment: Experiment, arms: Mapping[str, Arm], where: str) -> None:
    for key, name in (("arm", test.arm), ("to", test.to)):
        if name is not None and name not in experiment.arms:
            raise UsageError(
                f"{where}: {key}: '{name}' is not an arm of {experiment.name}", nearest(name, experiment.arms)
            )
    values = experiment.sweep.values if experiment.sweep is not None else []
    if values and not test.at:
        raise UsageError(f"{where}: at: missing", f"values of the sweep: {', '.join(map(label, values))}")
    if test.at and not values:
        raise UsageError(f"{where}: at: {experiment.name} has no sweep", "leave it out")
    for value in test.at:
        if not any(same(value, swept) for swept in values):
            raise UsageError(
                f"{where}: at: {label(value)} is not a value of the sweep", nearest(label(value), map(label, values))
            )
    if len({label(value) for value in test.at}) != len(test.at):
        raise UsageError(f"{where}: at: a value stands there twice", "leave one of them out")
    _check_figure(test, experiment, where)
    if test.hop is not None:
        for name in (test.arm, reference(test, experiment)):
            programs = [hop.program for hop in arms[name].hops]
            if programs.count(test.hop) != 1:
                raise UsageError(f"{where}: hop: '{name}' has no single hop '{test.hop}'", nearest(test.hop, programs))


def _check_figure(test: ClaimTest, experiment: Experiment, where: str) -> None:
    """What goes with the figure: a relation that can be said of it, another arm, a size, a soak."""
    figure, relation = test.figure, test.relation
    if not relation.fits(figure):
        raise UsageError(
            f'{where}: relation: "{relation.value}" cannot be said of {figure.value}',
            '"some" and "none" are said of errors alone, "at least" of everything, all others of ratios and drifts',
        )
    if figure.is_ratio:
        if reference(test, experiment) == test.arm:
            raise UsageError(f"{where}: to: '{test.arm}' would be compared with itself", "name the other arm: to = …")
    elif test.to is not None:
        raise UsageError(f"{where}: to: {figure.value} are one arm's own", "leave it out")
    if figure.is_of_soak and experiment.soak is None:
        raise UsageError(f"{where}: figure: {experiment.name} is no soak", "a drift is seen over a soak alone")
    if test.hop is not None and figure is not ClaimFigure.CPU_PER_REQUEST:
        raise UsageError(f"{where}: hop: {figure.value} is not told by hop", 'figure = "cpu_per_request"')
    if relation.has_size is not (test.size is not None):
        raise UsageError(
            f'{where}: size: {"missing" if relation.has_size else "not with"} for "{relation.value}"',
            '"at least", "at most" and "about" have a size, the other relations none',
        )
    if test.tolerance != TOLERANCE and relation is not Relation.ABOUT:
        raise UsageError(f'{where}: tolerance: not with "{relation.value}"', 'it belongs to "about"')
    if test.published is not None:
        bare = msgspec.structs.replace(test, published=None)
        if any(published_ratio(bare, experiment, value) is not None for value, _ in test.points):
            raise UsageError(f"{where}: published: the experiment's own figures give it", "leave it out")
        if not figure.is_ratio:
            raise UsageError(f"{where}: published: not for {figure.value}", "it is a ratio")
