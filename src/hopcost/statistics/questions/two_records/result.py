"""What a comparison of two records says: of each figure, each arm, each experiment, each cost of a hop."""

from __future__ import annotations

import msgspec

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.two_records.differences import Difference
from hopcost.statistics.verdict import Verdict


class FigureChange(msgspec.Struct, frozen=True):
    """One figure of an arm, its geometric mean over blocks in A and in B, and B ÷ A.

    `ratio` is of the figure itself, `relative` of its ratio to its own baseline: the verdict's. `share_a` and `share_b`
    are that ratio in each of them; None of the baseline. `no_verdict` says why
    there is no verdict.
    """

    figure: str
    load_per_s: float | None
    a: float
    b: float
    ratio: Interval | None
    relative: Interval | None
    verdict: Verdict
    no_verdict: str | None
    share_a: float | None = None
    share_b: float | None = None


class ArmChange(msgspec.Struct, frozen=True):
    """An arm of both; `files` are the lines that differ in its commands and generated files, by name."""

    name: str
    differences: list[Difference]
    files: dict[str, list[str]]
    figures: list[FigureChange]


class HopCostChange(msgspec.Struct, frozen=True):
    """CPU ns per request of the hop in front (the arm minus `without`) in A and B; `difference_ns` is B − A."""

    arm: str
    without: str
    hop: str
    load_per_s: float | None
    a_ns: float
    b_ns: float
    difference_ns: Interval | None


class ExperimentChange(msgspec.Struct, frozen=True):
    """An experiment of both. `baseline_changed` says what is not the same of what the others are compared with."""

    name: str
    question: str
    baseline: str
    blocks: tuple[int, int]
    differences: list[Difference]
    notes: list[str]
    arms: list[ArmChange]
    hop_costs: list[HopCostChange]
    baseline_changed: str | None


class RecordComparison(msgspec.Struct, frozen=True):
    """All of it. `intervals` hold together at 95 %; `objections` are why the two should not have been compared.

    `alone` are the experiments that one of them alone has, after its letter.
    """

    objections: list[str]
    differences: list[Difference]
    alone: dict[str, list[str]]
    experiments: list[ExperimentChange]
    intervals: int
