"""When a run may end on its width, and the error that its intervals have then."""

from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest
from known import known

from hopcost.plan.method import METHOD
from hopcost.plan.until import Until
from hopcost.record.contents.run import StopReason
from hopcost.statistics.precision import looks
from hopcost.statistics.random_effects import Contrast, estimate


def test_looks_have_no_end() -> None:
    assert list(itertools.islice(looks.looks_after(0), 8)) == [6, 8, 12, 16, 24, 32, 48, 64]
    assert next(looks.looks_after(999)) == 1024
    assert not any(map(looks.is_look, (0, 1, 5, 7, 10, 20, 36, 40)))


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        (StopReason.PRECISION, 0.035),
        (StopReason.INTERRUPTED, 0.035),  # who interrupts may have seen the intervals
        (StopReason.FAILED, 0.035),
        (None, 0.035),
        (StopReason.TIME, 0.05),
        (StopReason.BLOCKS, 0.05),
    ],
)
def test_a_run_that_ends_on_its_width_pays_for_the_look(ending: StopReason | None, error: float) -> None:
    assert looks.error_at_end(ending) == error


def test_looks_at_directions_share_the_error_with_the_end() -> None:
    assert looks.error_at_end(StopReason.DECIDED, Until.DECIDED) == 0.01
    assert looks.error_at_end(StopReason.INTERRUPTED, Until.DECIDED) == 0.01
    assert looks.error_at_end(StopReason.TIME, Until.DECIDED) == 0.02


@pytest.mark.parametrize("between", [0.0, 0.02, 0.05])
def test_without_a_difference_few_runs_until_decided_say_one(between: float) -> None:
    """Simulated: three arms like the baseline, its noise in all of them; looks at 4, 8 and 16 blocks, an end at 20."""
    dice, runs, arms, rounds, within = random.Random(f"{between}"), 40, 3, 2, 0.03
    wrong = 0
    for _ in range(runs):
        contrasts: list[list[list[float]]] = [[] for _ in range(arms)]
        for _ in range(20):
            reference = dice.gauss(0, between) / math.sqrt(2), [dice.gauss(0, within) for _ in range(rounds)]
            for contrast in contrasts:
                restart = dice.gauss(0, between) / math.sqrt(2) - reference[0]
                contrast.append([restart + dice.gauss(0, within) - noise for noise in reference[1]])
        ends = [(look, METHOD.decision_error) for look in METHOD.decision_looks] + [(20, METHOD.undecided_error)]
        wrong += any(is_one_directed(contrasts, blocks, error / arms) for blocks, error in ends)
    assert wrong <= 0.05 * runs


def is_one_directed(contrasts: list[list[list[float]]], blocks: int, error: float) -> bool:
    """Whether an interval over the first blocks leaves out 0."""
    of_arms = []
    for contrast in contrasts:
        logs = [statistics.mean(rounds) for rounds in contrast[:blocks]]
        variance = statistics.mean(statistics.variance(rounds) for rounds in contrast[:blocks])
        of_arms.append(Contrast(logs, [len(rounds) for rounds in contrast[:blocks]], variance, blocks))
    intervals = [interval.interval(error) for interval in estimate(of_arms)]
    return any(known(interval.low) > 0 or known(interval.high) < 0 for interval in intervals)
