"""What a record of capacities says: for each arm the highest rate that holds the objectives, and its curve."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.record.contents.run import Ending, Record
from hopcost.statistics import intervals
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.fit import Binding, fit_objectives
from hopcost.statistics.questions.capacity.outcome import Outcome, read_outcome
from hopcost.statistics.questions.capacity.points import RatePoint, points_of
from hopcost.statistics.questions.capacity.question import CapacityQuestion

SHORT_OF_CONNECTIONS = 0.5  # of the rates that missed
# Of the usual length of an arm's probes: shorter ones, of the climb, guide the search. An empty queue that has to grow
# first makes them look better than the rate is.
LONG_ENOUGH = 0.6


class Kind(StrEnum):
    """What is known of an arm's capacity."""

    MEASURED = "measured"
    AT_LEAST = "at_least"  # the generator could not offer more
    NOT_OFFERED = "not_offered"  # nor even the lowest rate
    MISSES_IDLE = "misses_idle"
    NOT_SETTLED = "not_settled"
    FAILED = "failed"


class CapacityRow(msgspec.Struct, frozen=True):
    """An arm. `per_s` is its capacity, without ends after one start; `ends_by` the objective that a higher rate misses.

    `held_per_s` is the highest rate that held; of an arm that misses its objectives always, `points` begins with what
    it did almost without load.
    """

    arm: str
    kind: Kind
    per_s: Interval | None
    starts: int
    points: list[RatePoint]
    ends_by: str | None = None
    held_per_s: float | None = None
    restart_spread: float | None = None
    is_short_of_connections: bool = False

    @property
    def has_open_range(self) -> bool:
        """Whether its rates hold and miss, and yet its range goes on beyond them."""
        return self.kind is Kind.NOT_SETTLED and self.restart_spread is not None


class CapacityResult(msgspec.Struct, frozen=True):
    """The answer that a record of capacities holds, also if it was interrupted."""

    question: CapacityQuestion
    record: Record
    rows: list[CapacityRow]
    failures: list[Failure]
    suspect: list[Block]
    void: list[Block]
    valid: int

    @property
    def endings(self) -> list[Ending]:
        """Why its experiments ended."""
        return self.record.run.endings

    @property
    def is_answered(self) -> bool:
        """Whether an arm has a capacity, or a bound of it."""
        return any(row.per_s is not None for row in self.rows)

    def row(self, arm: str) -> CapacityRow:
        """One arm."""
        return next(row for row in self.rows if row.arm == arm)


def read_capacity(question: CapacityQuestion, record: Record) -> CapacityResult:
    """The answer, from the starts that count."""
    planned = [(experiment, arm.name) for experiment in record.plan.experiments for arm in experiment.arms]
    error = METHOD.confidence_error / max(1, len(planned))
    valid = [block for block in record.blocks if block.validity is not Validity.VOID]
    failures = [failure for block in record.blocks for failure in block.failures]
    failed = {failure.arm for failure in failures}
    rows = [_row(question, valid, experiment, arm, error, arm in failed) for experiment, arm in planned]
    return CapacityResult(
        question=question,
        record=record,
        rows=rows,
        failures=failures,
        suspect=[block for block in valid if block.validity is Validity.SUSPECT],
        void=[block for block in record.blocks if block.validity is Validity.VOID],
        valid=len(valid),
    )


def probes_of_arm(blocks: Sequence[Block], experiment: PlannedExperiment, arm: str) -> list[list[OpenLoad]]:
    """The rates that an arm was offered, start by start."""
    parts = [part for block in blocks if block.experiment == experiment.name for part in block.arms if part.name == arm]
    return [part.probes for part in parts if part.probes]


def _row(
    question: CapacityQuestion,
    blocks: Sequence[Block],
    experiment: PlannedExperiment,
    arm: str,
    error: float,
    has_failed: bool,
) -> CapacityRow:
    starts = probes_of_arm(blocks, experiment, arm)
    loads = [load for start in starts for load in start]
    outcomes = [_outcomes(start, question, experiment) for start in starts]
    own = [[outcome for outcome in start if not outcome.is_limited] for start in outcomes]
    binding = fit_long_probes(own, error)
    every = [outcome for start in own for outcome in start]
    missed = [outcome for outcome in every if outcome.misses]
    row = CapacityRow(
        arm=arm,
        kind=Kind.FAILED if has_failed else Kind.NOT_SETTLED,
        per_s=None,
        starts=len(starts),
        points=points_of(loads, question.objectives),
        held_per_s=max((outcome.rate_per_s for outcome in every if not outcome.misses), default=None),
        is_short_of_connections=sum(outcome.is_out_of_connections for outcome in missed)
        > SHORT_OF_CONNECTIONS * len(missed),
    )
    if binding is not None:
        return _measured(row, binding, question, len(starts))
    is_limited = any(outcome.is_limited for start in outcomes for outcome in start)
    if is_limited and row.held_per_s is None and not missed:
        return msgspec.structs.replace(row, kind=Kind.NOT_OFFERED)
    if is_limited and row.held_per_s is not None:
        bound = Interval(value=row.held_per_s, low=row.held_per_s, high=None)
        return msgspec.structs.replace(row, kind=Kind.AT_LEAST, per_s=bound)
    if missed and row.held_per_s is None:
        return msgspec.structs.replace(row, kind=Kind.MISSES_IDLE)
    return row


def fit_long_probes(starts: Sequence[Sequence[Outcome]], error: float) -> Binding | None:
    """The objective that ends first, by the probes behind the climb; by all, if those lie on one side."""
    return fit_objectives(_long_ones(starts), error) or fit_objectives(starts, error)


def _long_ones(starts: Sequence[Sequence[Outcome]]) -> list[list[Outcome]]:
    """Without the short probes of the climb."""
    lengths = [outcome.length_s for start in starts for outcome in start]
    if not lengths:
        return []
    least_s = LONG_ENOUGH * statistics.median(lengths)
    return [[outcome for outcome in start if outcome.length_s >= least_s] for start in starts]


def _measured(row: CapacityRow, binding: Binding, question: CapacityQuestion, starts: int) -> CapacityRow:
    fit, objectives = binding.fit, question.objectives
    per_s = intervals.of_logs(fit.log)
    is_open = starts > 1 and per_s.low is None
    return msgspec.structs.replace(
        row,
        kind=Kind.NOT_SETTLED if is_open else Kind.MEASURED,
        per_s=None if is_open else per_s if starts > 1 else Interval(value=per_s.value, low=None, high=None),
        ends_by=objectives[binding.place].name if binding.place < len(objectives) else None,
        restart_spread=fit.spread,
    )


def _outcomes(start: Sequence[OpenLoad], question: CapacityQuestion, experiment: PlannedExperiment) -> list[Outcome]:
    outcomes = (read_outcome(load, question.objectives, experiment) for load in start)
    return [outcome for outcome in outcomes if outcome is not None]
