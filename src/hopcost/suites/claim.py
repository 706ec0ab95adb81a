"""A published statement as data of a suite: what is claimed, where it stands, what it takes, what is compared.

Nothing is judged here; claims.py does that, against records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Annotated

import msgspec

from hopcost.suites.experiment import Experiment
from hopcost.suites.published import Published, Value, label, same
from hopcost.suites.sweep import AT

TOLERANCE = 0.1

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]


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


class ClaimTest(msgspec.Struct, forbid_unknown_fields=True):
    """One comparison in one experiment, or the same one at several values of its sweep.

    A ratio is that of `arm` to `to` (absent: the experiment's control, else its baseline), of one `hop` where that is
    named. `size` belongs to "at least", "at most" and "about"; "about" reaches from size ÷ (1 + tolerance) to
    size × (1 + tolerance).
    """

    experiment: Name
    arm: Name
    relation: Relation
    figure: ClaimFigure = ClaimFigure.THROUGHPUT
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
    tests: Annotated[list[ClaimTest], msgspec.Meta(min_length=1)]
    condition: str = ""
    needs: Needs = msgspec.field(default_factory=Needs)


def reference(test: ClaimTest, experiment: Experiment) -> str:
    """The arm that a ratio is to."""
    return test.to or experiment.control or experiment.baseline


def published_ratio(test: ClaimTest, experiment: Experiment, value: Value | None) -> float | None:
    """The article's own ratio of throughputs at this value, out of its figures; else what the test says.

    None where the article has no such figures.
    """
    if test.figure is ClaimFigure.THROUGHPUT:
        own = _row(experiment.published, test.arm, value)
        other = _row(experiment.published, reference(test, experiment), value)
        if own is not None and other is not None and own.throughput_per_s and other.throughput_per_s:
            return own.throughput_per_s / other.throughput_per_s
    return test.published


def published_errors(test: ClaimTest, experiment: Experiment, value: Value | None) -> bool | None:
    """Whether the article printed an error for the arm at this value; None where it printed nothing."""
    row = _row(experiment.published, test.arm, value)
    return None if row is None else row.has_errors


def _row(rows: Sequence[Published], arm: str, value: Value | None) -> Published | None:
    return next((row for row in rows if row.arm == arm and same(row.at, value)), None)
