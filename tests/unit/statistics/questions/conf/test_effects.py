"""Effects of a screening: by hand, on known effects, under drift, and how often a null effect is called one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from samples import blocks as sample

from hopcost.statistics.figures import throughput
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.design import ScreenedArm, one_at_a_time, together
from hopcost.statistics.questions.conf.effects import effects, rounds_of

TRUE = {"a": -5.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 3.0, "f": 0.0, "g": -1.0}
ARMS = together(list(TRUE), "rest")
ERROR = 0.05


def simulated(
    dice: np.random.Generator, arms: Sequence[ScreenedArm] = ARMS, *, rounds: int = 10, drift: float = 0.0
) -> list[dict[str, float]]:
    """Rounds of arms that cost 50 and what their changes add, with noise of 1; every round is dearer by `drift`."""
    return [
        {arm.name: 50 + drift * number + sum(TRUE[change] for change in arm.changes) + dice.normal() for arm in arms}
        for number in range(rounds)
    ]


def holds(interval: Interval | None, value: float) -> bool:
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return interval.low <= value <= interval.high


def test_one_change_beside_two_runs_without_it_by_hand() -> None:
    arms = [ScreenedArm("base"), ScreenedArm("base-aa"), ScreenedArm("a", ["a"])]
    rounds = [{"base": 10.0, "base-aa": 12.0, "a": 14.0}, {"base": 20.0, "base-aa": 22.0, "a": 26.0}]
    estimate = effects(rounds, arms, ERROR)["a"]
    assert estimate is not None
    assert estimate.value == pytest.approx(4.0)  # of 3 and 5; t of one degree: 12.706 times 1
    assert (estimate.low, estimate.high) == pytest.approx((4 - 12.706, 4 + 12.706), abs=0.01)


def test_without_noise_all_effects_are_exact_whatever_drifts_from_round_to_round() -> None:
    rounds = [
        {arm.name: 50.0 + 7 * number**2 + sum(TRUE[change] for change in arm.changes) for arm in ARMS}
        for number in range(4)
    ]
    for change, estimate in effects(rounds, ARMS, ERROR).items():
        assert estimate is not None
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((TRUE[change],) * 3)


def test_all_intervals_of_a_screening_hold_together_in_at_least_nine_of_ten() -> None:
    dice, screenings = np.random.default_rng(1), 400
    held = 0
    for _ in range(screenings):
        estimate = effects(simulated(dice, drift=5.0), ARMS, ERROR)
        held += all(holds(estimate[change], effect) for change, effect in TRUE.items())
    assert 0.92 <= held / screenings <= 0.99  # 95 %, and Bonferroni is careful


def test_a_change_that_does_nothing_is_rarely_called_one() -> None:
    dice, screenings = np.random.default_rng(2), 400
    calls = sum(not holds(effects(simulated(dice), ARMS, ERROR)["c"], 0.0) for _ in range(screenings))
    assert calls / screenings <= 0.02  # 5 % over seven changes


def test_a_design_tells_effects_with_half_the_range_of_as_many_arms_one_at_a_time() -> None:
    dice, names = np.random.default_rng(3), list(TRUE)
    alone = one_at_a_time(names, "base")
    widths = []
    for arms in (ARMS, alone):
        estimate = effects(simulated(dice, arms, rounds=200), arms, ERROR)["c"]
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        widths.append(estimate.high - estimate.low)
    assert widths[0] / widths[1] == pytest.approx(0.5, abs=0.1)


def test_an_arm_that_failed_takes_the_effects_that_nobody_can_tell_without_it() -> None:
    whole = simulated(np.random.default_rng(4))
    rounds = [{name: figure for name, figure in figures.items() if name != "rest-3"} for figures in whole]
    assert set(effects(rounds, ARMS, ERROR).values()) == {None}  # seven effects and a mean out of seven arms
    arms = together(["a", "b", "c", "d"], "rest")
    rounds = simulated(np.random.default_rng(4), arms)
    rounds = [{name: figure for name, figure in figures.items() if name != "rest-3"} for figures in rounds]
    assert holds(effects(rounds, arms, ERROR)["a"], TRUE["a"])


def test_one_round_has_effects_without_a_range_and_none_has_no_effects() -> None:
    rounds = simulated(np.random.default_rng(5), rounds=1)
    estimate = effects(rounds, ARMS, ERROR)["a"]
    assert estimate is not None
    assert (estimate.low, estimate.high) == (None, None)
    assert set(effects([], ARMS, ERROR).values()) == {None}


def test_rounds_of_a_block_have_the_figure_of_each_arm_that_has_one() -> None:
    block = sample.block(0, sample.rounds_of("direct", 10, 20), sample.rounds_of("behind", 5, 0))
    assert rounds_of(block, throughput) == [{"direct": 100.0, "behind": 50.0}, {"direct": 200.0}]
