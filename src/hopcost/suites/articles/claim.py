"""A published statement as data of a suite: what is claimed, where it stands, what it takes, what is compared.

Nothing is judged here; statistics/questions/claims does that, against records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.suites.arms.arm import Name
from hopcost.suites.articles.published import Published, Value, label, same
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.sweep import AT

TOLERANCE = 0.1

Share = Annotated[float, Meta(gt=0, le=1)]


class ClaimFigure(Enum):
    """What is compared: two arms' throughput or CPU per request, an arm's errors, or a soak's course."""

    THROUGHPUT = "throughput"
    CPU_PER_REQUEST = "cpu_per_request"
    ERRORS = "errors"
    DRIFT = "drift"
    MEMORY_DRIFT = "memory_drift"

    @property
    def is_ratio(self) -> bool:
        """Whether one arm's figure is divided by another's."""
        return self in (ClaimFigure.THROUGHPUT, ClaimFigure.CPU_PER_REQUEST)

    @property
    def is_of_soak(self) -> bool:
        """Whether it is a change over one start of the servers."""
        return self in (ClaimFigure.DRIFT, ClaimFigure.MEMORY_DRIFT)


class Relation(Enum):
    """What is claimed of a ratio (of a drift, as a factor over the soak): a side of 1, a bound, or a size.

    Of errors: that there are some, none, or at least so many in each server start.
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

    def fits(self, figure: ClaimFigure) -> bool:
        """Whether it can be said of that figure."""
        is_of_errors_alone = self in (Relation.SOME, Relation.NONE)
        if figure is ClaimFigure.ERRORS:
            return is_of_errors_alone or self is Relation.AT_LEAST
        return not is_of_errors_alone


class Needs(msgspec.Struct, forbid_unknown_fields=True):
    """What a claim's condition takes; without it the claim is not testable here."""

    cores: Annotated[
        int, Meta(ge=1, description="cores that the experiment ran on, of hops and generator together")
    ] = 1
    link_mbit_per_s: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="the rate of the link that its arms were reached over")
    ] = None
    because: Annotated[str, Meta(description="why, in words that complete that sentence; required with the others")] = (
        ""
    )


class ClaimTest(msgspec.Struct, forbid_unknown_fields=True):
    """One comparison in one experiment, or the same one at several values of its sweep.

    "about" reaches from size ÷ (1 + tolerance) to size × (1 + tolerance).
    """

    experiment: Annotated[Name, Meta(description="one of the suite's")]
    arm: Annotated[Name, Meta(description="the arm of which something is said")]
    relation: Annotated[
        Relation,
        Meta(
            description="of a ratio or drift: `more` or `less` than 1, `at least`, `at most` or `about` the size; of"
            " errors: `some`, `none`, or `at least` the size in each server start"
        ),
    ]
    figure: Annotated[
        ClaimFigure,
        Meta(
            description="`throughput`, `cpu_per_request` (less is better), `errors`, or of a soak `drift` (of"
            " its throughput to the baseline's) and `memory_drift`"
        ),
    ] = ClaimFigure.THROUGHPUT
    to: Annotated[
        Name | None,
        Meta(description="the arm that its figure is divided by; absent: the experiment's control, else its baseline"),
    ] = None
    at: Annotated[
        list[Value],
        Meta(description="values of the experiment's sweep, each a comparison of its own; required in a sweep"),
    ] = []
    hop: Annotated[Name | None, Meta(description="with `cpu_per_request`: of this program's hop alone")] = None
    size: Annotated[
        Annotated[float, Meta(gt=0)] | None, Meta(description="the number of `at least`, `at most`, `about`")
    ] = None
    tolerance: Annotated[Share, Meta(description="with `about`: 0.1 is from size ÷ 1.1 to size × 1.1")] = TOLERANCE
    published: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="the article's own ratio, if the experiment's `published` figures do not give it"),
    ] = None

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
    """A published statement. It holds if all its tests hold."""

    name: Annotated[Name, Meta(description="unique in the file")]
    says: Annotated[str, Meta(description="what is claimed, in one sentence")]
    source: Annotated[str, Meta(description="where in the article, with its words or its figures")]
    tests: Annotated[
        list[ClaimTest],
        Meta(min_length=1, description="what must be so if the claim is right; it holds if all of them hold"),
    ]
    condition: Annotated[
        str, Meta(description="under which conditions the article saw it, and how they are read here")
    ] = ""
    needs: Annotated[
        Needs,
        Meta(description="what the condition takes; if the record does not have it, the claim is not testable here"),
    ] = msgspec.field(default_factory=Needs)


def reference(test: ClaimTest, experiment: Experiment) -> str:
    """The arm that a ratio is to."""
    return test.to or experiment.control or experiment.baseline


def published_ratio(test: ClaimTest, experiment: Experiment, value: Value | None) -> float | None:
    """The article's own ratio of throughputs at this value, out of its figures; else what the test says.

    None if the article has no such figures.
    """
    if test.figure is ClaimFigure.THROUGHPUT:
        own = _row(experiment.published, test.arm, value)
        other = _row(experiment.published, reference(test, experiment), value)
        if own is not None and other is not None and own.throughput_per_s and other.throughput_per_s:
            return own.throughput_per_s / other.throughput_per_s
    return test.published


def published_errors(test: ClaimTest, experiment: Experiment, value: Value | None) -> bool | None:
    """Whether the article printed an error for the arm at this value; None if it printed nothing."""
    row = _row(experiment.published, test.arm, value)
    return None if row is None else row.has_errors


def _row(rows: Sequence[Published], arm: str, value: Value | None) -> Published | None:
    return next((row for row in rows if row.arm == arm and same(row.at, value)), None)
