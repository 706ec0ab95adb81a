"""A published statement as data of a suite: what is claimed, where it stands, what it takes, what is compared.

Nothing is judged here; claims.py does that, against records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.published import Published, Value, label, same
from hopcost.sweep import AT

if TYPE_CHECKING:
    from hopcost.suite import Arm, Experiment

TOLERANCE = 0.1

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]


class Figure(Enum):
    """What is compared: two arms' throughput or CPU per request, an arm's errors, or a soak's course."""

    THROUGHPUT = "throughput"
    CPU_PER_REQUEST = "cpu_per_request"
    ERRORS = "errors"
    DRIFT = "drift"
    MEMORY_DRIFT = "memory_drift"

    @property
    def is_ratio(self) -> bool:
        """Whether one arm's figure is divided by another's."""
        return self in (Figure.THROUGHPUT, Figure.CPU_PER_REQUEST)


class Relation(Enum):
    """What is claimed of a ratio (of a drift, as a factor over the soak): a side of 1, a bound, or a size.

    Of errors: that there are some, or none.
    """

    MORE = "more"
    LESS = "less"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    ABOUT = "about"
    SOME = "some"
    NONE = "none"

    @property
    def has_size(self) -> bool:
        """Whether a number belongs to it."""
        return self in (Relation.AT_LEAST, Relation.AT_MOST, Relation.ABOUT)

    @property
    def is_of_errors(self) -> bool:
        """Whether it is said of errors, and of nothing else."""
        return self in (Relation.SOME, Relation.NONE)


class Needs(msgspec.Struct, forbid_unknown_fields=True):
    """What a claim's condition takes; without it the claim is not testable here.

    `cores` are those of hops and generator together, `link_mbit_per_s` is the link's rate.
    """

    cores: Annotated[int, msgspec.Meta(ge=1)] = 1
    link_mbit_per_s: Annotated[int, msgspec.Meta(ge=1)] | None = None
    because: str = ""


class Comparison(msgspec.Struct, forbid_unknown_fields=True):
    """One comparison in one experiment, or the same one at several values of its sweep.

    A ratio is that of `arm` to `to` (absent: the experiment's control, else its baseline), of one `hop` where that is
    named. `size` belongs to "at least", "at most" and "about"; "about" reaches from size ÷ (1 + tolerance) to
    size × (1 + tolerance).
    """

    experiment: Name
    arm: Name
    relation: Relation
    figure: Figure = Figure.THROUGHPUT
    to: Name | None = None
    at: list[Value] = []
    hop: Name | None = None
    size: Annotated[float, msgspec.Meta(gt=0)] | None = None
    tolerance: Share = TOLERANCE
    published: Annotated[float, msgspec.Meta(gt=0)] | None = None

    @property
    def points(self) -> Iterator[tuple[Value | None, str]]:
        """Each value with the name that its experiment has in a plan; without a sweep the experiment's own."""
        if not self.at:
            yield None, self.experiment
        for value in self.at:
            yield value, self.experiment + AT + label(value)

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios that it allows, of "more" and "less" too."""
        match self.relation:
            case Relation.MORE:
                return 1.0, float("inf")
            case Relation.LESS:
                return 0.0, 1.0
            case Relation.AT_LEAST:
                return self._size, float("inf")
            case Relation.AT_MOST:
                return 0.0, self._size
            case _:
                return self._size / (1 + self.tolerance), self._size * (1 + self.tolerance)

    @property
    def _size(self) -> float:
        assert self.size is not None, "checked when the suite was read"
        return self.size


class Claim(msgspec.Struct, forbid_unknown_fields=True):
    """A published statement. It holds where all its tests hold."""

    name: Name
    says: str
    source: str
    tests: Annotated[list[Comparison], msgspec.Meta(min_length=1)]
    condition: str = ""
    needs: Needs = msgspec.field(default_factory=Needs)


def reference(test: Comparison, experiment: Experiment) -> str:
    """The arm that a ratio is to."""
    return test.to or experiment.control or experiment.baseline


def published_ratio(test: Comparison, experiment: Experiment, value: Value | None) -> float | None:
    """The article's own ratio of throughputs at this value, out of its figures; else what the test says.

    None where the article has no such figures.
    """
    if test.figure is Figure.THROUGHPUT:
        own = _row(experiment.published, test.arm, value)
        other = _row(experiment.published, reference(test, experiment), value)
        if own is not None and other is not None and own.throughput_per_s and other.throughput_per_s:
            return own.throughput_per_s / other.throughput_per_s
    return test.published


def published_errors(test: Comparison, experiment: Experiment, value: Value | None) -> bool | None:
    """Whether the article printed an error for the arm at this value; None where it printed nothing."""
    row = _row(experiment.published, test.arm, value)
    return None if row is None else row.has_errors


def _row(rows: Sequence[Published], arm: str, value: Value | None) -> Published | None:
    return next((row for row in rows if row.arm == arm and same(row.at, value)), None)


def check(claims: Sequence[Claim], experiments: Sequence[Experiment], arms: Mapping[str, Arm], path: object) -> None:
    """UsageError for a name that refers to nothing, twice the same name, and what does not go together."""
    known = {experiment.name: experiment for experiment in experiments}
    seen: set[str] = set()
    for number, claim in enumerate(claims):
        where = f"{path}: claims[{number}] ({claim.name})"
        if claim.name in seen:
            raise UsageError(f"{where}: name: a second claim of this name")
        seen.add(claim.name)
        if (claim.needs.cores > 1 or claim.needs.link_mbit_per_s) and not claim.needs.because:
            raise UsageError(f"{where}: needs.because: missing", "why: it is shown where that is not had")
        for index, test in enumerate(claim.tests):
            place = f"{where}: tests[{index}]"
            if test.experiment not in known:
                raise UsageError(
                    f"{place}: experiment: no experiment '{test.experiment}'", nearest(test.experiment, known)
                )
            _check_test(test, known[test.experiment], arms, place)


def _check_test(test: Comparison, experiment: Experiment, arms: Mapping[str, Arm], where: str) -> None:
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
        if not any(same(value, each) for each in values):
            raise UsageError(
                f"{where}: at: {label(value)} is not a value of the sweep", nearest(label(value), map(label, values))
            )
    if len({label(value) for value in test.at}) != len(test.at):
        raise UsageError(f"{where}: at: a value stands there twice")
    _check_figure(test, experiment, where)
    if test.hop is not None:
        for name in (test.arm, reference(test, experiment)):
            programs = [hop.program for hop in arms[name].hops]
            if programs.count(test.hop) != 1:
                raise UsageError(f"{where}: hop: '{name}' has no single hop '{test.hop}'", nearest(test.hop, programs))


def _check_figure(test: Comparison, experiment: Experiment, where: str) -> None:
    """What goes with the figure: a relation that can be said of it, another arm, a size, a soak."""
    figure, relation = test.figure, test.relation
    if relation.is_of_errors is not (figure is Figure.ERRORS):
        raise UsageError(
            f'{where}: relation: "{relation.value}" cannot be said of {figure.value}',
            '"some" and "none" are said of errors, all others of ratios and drifts',
        )
    if figure.is_ratio:
        if reference(test, experiment) == test.arm:
            raise UsageError(f"{where}: to: '{test.arm}' would be compared with itself", "name the other arm: to = …")
    elif test.to is not None:
        raise UsageError(f"{where}: to: {figure.value} are one arm's own", "leave it out")
    if figure in (Figure.DRIFT, Figure.MEMORY_DRIFT) and experiment.soak is None:
        raise UsageError(f"{where}: figure: {experiment.name} is no soak", "a drift is seen over a soak alone")
    if test.hop is not None and figure is not Figure.CPU_PER_REQUEST:
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
