"""Evidence on a ratio of two arms of one experiment, as claims and gates ask for it."""

from __future__ import annotations

import msgspec

from hopcost.plan.method import METHOD
from hopcost.statistics import intervals
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.figures import BlockFigure, throughput
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.questions.claims.decision import Bound, Evidence
from hopcost.statistics.validity.arm import is_generator_full
from hopcost.suites.articles.claim import Relation


class Question(msgspec.Struct, frozen=True):
    """A figure of an arm ÷ that of `to`, and what is said of it: the `allowed` ratios, and what counts as the same."""

    arm: str
    to: str
    figure: BlockFigure
    relation: Relation
    allowed: tuple[float, float]
    margin: float


def measure_ratio(arms: PairedBlocks, question: Question, error: float) -> Interval | None:
    """The ratio with an interval of this two-sided error; without ends from one start, None without the figure."""
    estimate = arms.estimate(question.arm, question.figure, question.to)
    if estimate is None or estimate.blocks == 0:
        return None
    ratio = intervals.of_logs(estimate.interval(error))
    return msgspec.structs.replace(ratio, low=None, high=None) if estimate.blocks < METHOD.min_blocks else ratio


def weigh_ratio(arms: PairedBlocks, question: Question) -> Evidence | None:
    """What the blocks say of it; None if there are too few of them, or if one lacks the figure."""
    estimate = arms.estimate(question.arm, question.figure, question.to)
    if estimate is None or estimate.blocks < METHOD.min_blocks:
        return None
    bound = bound_of(arms, question.arm, question.to) if question.figure is throughput else Bound.NONE
    return Evidence(question.relation, question.allowed, estimate.probability_below, question.margin, bound)


def time_to_settle(arms: PairedBlocks, question: Question, comparisons: int) -> Settling | None:
    """What an answer still takes if the ratio stays where it is, beside so many comparisons that share the error.

    None if time alone brings none: too few blocks for a width, or a generator that was full.
    """
    estimate, evidence = arms.estimate(question.arm, question.figure, question.to), weigh_ratio(arms, question)
    if estimate is None or evidence is None:
        return None
    middle = estimate.interval(METHOD.confidence_error).value
    ways = [
        arms.time_to_reach(half_width, question.arm, question.figure, error, question.to)
        for half_width, error in evidence.ways_to_settle(middle, comparisons)
    ]
    return min((way for way in ways if way is not None), key=lambda way: way.starts, default=None)


def bound_of(arms: PairedBlocks, name: str, to: str) -> Bound:
    """What a full generator makes of a ratio of throughputs."""
    return Bound.of(is_lower=_is_full(arms, name), is_upper=_is_full(arms, to))


def _is_full(arms: PairedBlocks, name: str) -> bool:
    """Whether the generator was full for the arm in any block, or for its second run."""
    runs = [name, arms.copy] if name == arms.copied_arm and arms.copy is not None else [name]
    return any(is_generator_full(part, arms.experiment) for run in runs for part in arms.of(run))
