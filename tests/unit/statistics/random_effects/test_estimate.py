"""What comes out: equal to the formulas written down a second time, and right where it can be worked by hand."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pytest
import restart_yardstick as yardstick
from scipy import stats

from hopcost.statistics.random_effects import Contrast, Estimate, estimate

ERROR = 0.0125
Mixture = tuple[yardstick.Floats, yardstick.Floats, yardstick.Floats]


def contrast(numbers: yardstick.Numbers, learns: bool = True) -> Contrast:
    return Contrast(numbers.logs.tolist(), numbers.rounds.tolist(), numbers.variance, numbers.degrees, learns)


def draw(dice: np.random.Generator, blocks: int, *, spread: float, is_balanced: bool = True) -> yardstick.Numbers:
    """A contrast of slices with 3 % noise, more or less, and restarts of that spread."""
    rounds = np.full(blocks, dice.integers(2, 12)) if is_balanced else dice.integers(2, 12, blocks)
    noise = 0.03 * math.exp(0.5 * dice.standard_normal())
    degrees = float((rounds - 1).sum())
    logs = (
        dice.normal() + spread * dice.standard_normal(blocks) + noise / np.sqrt(rounds) * dice.standard_normal(blocks)
    )
    variance = noise**2 * dice.chisquare(degrees) / degrees
    return yardstick.Numbers(logs, rounds.astype(float), variance, degrees)


def record(number: int) -> tuple[list[yardstick.Numbers], list[bool]]:
    """1 to 40 contrasts of 2 to 24 blocks; every third record has A/A contrasts, and some with one round a block."""
    dice = np.random.default_rng(number)
    contrasts, learns = [], []
    for _ in range(dice.integers(1, 41)):
        drawn = draw(
            dice, int(dice.integers(2, 25)), spread=dice.choice([0, 0.01, 0.03, 0.1]), is_balanced=bool(number % 2)
        )
        learns.append(number % 3 > 0 or dice.random() < 0.8)
        if number % 3 == 0 and dice.random() < 0.2:
            drawn = yardstick.Numbers(drawn.logs, np.ones(len(drawn.logs)), None, 0.0)
        contrasts.append(drawn)
    return contrasts, learns


def expected(numbers: yardstick.Numbers, learned: Mixture, few: Mixture | None) -> Callable[[float], list[float]]:
    """P(mu <= x) by the written rule, of each model that counts; `few` is None if at least four contrasts learn."""
    if few is None:
        return lambda x: [yardstick.below(learned, x)]
    if len(numbers.logs) < 4:
        return lambda x: [yardstick.below(few, x)]
    mean = np.average(numbers.logs, weights=numbers.rounds)
    degrees = len(numbers.logs) - 1
    error = math.sqrt(np.average((numbers.logs - mean) ** 2, weights=numbers.rounds) / degrees)
    return lambda x: [yardstick.below(learned, x), float(stats.t.cdf((x - mean) / error, degrees))]


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_the_ends_are_those_of_the_written_formulas(first: int) -> None:
    """Each end to 1e-6, on 200 records: its probability is reached between 1e-6 to its left and to its right."""
    for number in range(first, first + 20):
        contrasts, learns = record(number)
        learned = yardstick.posteriors(contrasts, learns, 2, 0.06, 1.0)
        few = yardstick.posteriors(contrasts, learns, 1, 0.10, 0.7) if sum(learns) < 4 else None
        estimates = estimate([contrast(*pair) for pair in zip(contrasts, learns, strict=True)])
        for row in {0, len(contrasts) // 2, len(contrasts) - 1}:
            below = expected(contrasts[row], learned[row], few[row] if few else None)
            interval = estimates[row].interval(ERROR)
            assert interval.low is not None and interval.high is not None
            assert max(below(interval.low - 1e-6)) < ERROR / 2 <= max(below(interval.low + 1e-6))
            assert min(below(interval.high - 1e-6)) < 1 - ERROR / 2 <= min(below(interval.high + 1e-6))
            assert below(interval.value - 1e-6)[0] < 0.5 <= below(interval.value + 1e-6)[0]


def test_the_order_of_contrasts_and_of_blocks_means_nothing() -> None:
    contrasts, learns = record(3)
    dice = np.random.default_rng(1)
    order = dice.permutation(len(contrasts))
    mixed = []
    for row in order:
        numbers, blocks = contrasts[row], dice.permutation(len(contrasts[row].logs))
        mixed.append(yardstick.Numbers(numbers.logs[blocks], numbers.rounds[blocks], numbers.variance, numbers.degrees))
    straight = estimate([contrast(*pair) for pair in zip(contrasts, learns, strict=True)])
    shuffled = estimate([contrast(numbers, learns[row]) for numbers, row in zip(mixed, order, strict=True)])
    for row, other in zip(order[:5], shuffled, strict=False):
        ends, ours = other.interval(ERROR), straight[row].interval(ERROR)
        assert [ends.low, ends.value, ends.high] == pytest.approx([ours.low, ours.value, ours.high], abs=1e-9)


def test_a_ratio_the_other_way_round_has_the_same_interval_mirrored() -> None:
    contrasts, _ = record(7)
    mirrored = [yardstick.Numbers(-c.logs, c.rounds, c.variance, c.degrees) for c in contrasts]
    first, other = (estimate([contrast(numbers) for numbers in side])[0] for side in (contrasts, mirrored))
    ends, opposite = first.interval(ERROR), other.interval(ERROR)
    assert ends.low is not None and opposite.high is not None
    assert ends.low == pytest.approx(-opposite.high, abs=1e-9)
    assert first.probability_below(0.01) == pytest.approx(1 - other.probability_below(-0.01))


def test_without_restart_spread_the_rounds_decide() -> None:
    """If no start of 40 arms differs from the next, it is the interval of all rounds: 1.96 × 10 % ÷ √(6 × 8)."""
    dice = np.random.default_rng(2)
    arms = [
        Contrast((0.1 / math.sqrt(8) * dice.standard_normal(6)).tolist(), [8.0] * 6, 0.1**2, 42.0) for _ in range(40)
    ]
    widths = [half_width(estimated, 0.05) for estimated in estimate(arms)]
    assert np.median(widths) == pytest.approx(1.96 * 0.1 / math.sqrt(48), rel=0.15)
    assert all(estimated.restart_spread < 0.02 for estimated in estimate(arms))


def test_with_many_blocks_it_is_student_s_t() -> None:
    """A hundred starts say all there is to know of their spread; the grid's steps of 26 % leave 5 %."""
    logs = 0.05 * stats.norm.ppf((np.arange(100) + 0.5) / 100)
    arm = Contrast(logs.tolist(), [4.0] * 100, 0.01**2, 300.0)
    alone, *_ = estimate([arm])
    assert half_width(alone, 0.05) == pytest.approx(stats.t.ppf(0.975, 99) * logs.std(ddof=1) / 10, rel=0.06)
    assert alone.restart_spread == pytest.approx(0.05, rel=0.05)
    assert alone.variances.within == pytest.approx(0.01**2, rel=0.05)


def test_few_contrasts_of_four_blocks_are_never_narrower_than_student_s_t() -> None:
    logs = [0.00, 0.02, -0.02, 0.001]
    alone, *_ = estimate([Contrast(logs, [2.0] * 4, 0.02**2, 4.0)])
    assert half_width(alone, 0.05) >= stats.t.ppf(0.975, 3) * np.std(logs, ddof=1) / 2 - 1e-12


def test_both_tails_are_the_cautious_ones() -> None:
    """Where t lies beside the model, neither a small nor a large probability is that of the bolder one."""
    alone, *_ = estimate([Contrast([0.10, 0.11, 0.12, 0.11], [8.0] * 4, 0.002**2, 28.0)])
    interval = alone.interval(0.05)
    assert interval.low is not None and interval.high is not None
    assert alone.probability_below(interval.low) == pytest.approx(0.025, abs=1e-6)
    assert alone.probability_below(interval.high) == pytest.approx(0.975, abs=1e-6)
    assert alone.probability_below(-1.0) < 1e-3 and alone.probability_below(1.0) > 0.999


def test_two_starts_of_an_arm_learn_from_the_others() -> None:
    dice = np.random.default_rng(4)
    quiet = [contrast(draw(dice, 6, spread=0.0)) for _ in range(12)]
    wild = [contrast(draw(dice, 6, spread=0.1)) for _ in range(12)]
    arm = Contrast([0.5, 0.51], [8.0, 8.0], 0.02**2, 14.0)
    beside_quiet, beside_wild, alone = (estimate([arm, *others])[0] for others in (quiet, wild, []))
    assert half_width(beside_quiet, 0.05) < half_width(beside_wild, 0.05) / 2
    assert half_width(beside_quiet, 0.05) < half_width(alone, 0.05) < 0.25


def test_an_a_a_contrast_does_not_teach() -> None:
    arms = [contrast(numbers) for numbers in record(1)[0][:6]]
    wild = Contrast([0.3, -0.3, 0.2, -0.2], [4.0] * 4, 0.02**2, 12.0, learns=False)
    tame = Contrast([0.001, -0.001, 0.0, 0.0], [4.0] * 4, 0.02**2, 12.0, learns=False)
    beside_wild, beside_tame = (estimate([*arms, floor])[0] for floor in (wild, tame))
    assert beside_wild.interval(0.05) == beside_tame.interval(0.05)


def test_one_start_has_an_interval_and_teaches_nothing() -> None:
    arms = [Contrast([0.2], [8.0], 0.02**2, 7.0) for _ in range(6)]
    single, *_ = estimate(arms)
    assert single.blocks == 1
    assert single.interval(0.05).value == pytest.approx(0.2)
    assert half_width(single, 0.05) > 0.15  # nothing is known of how starts differ
    assert half_width(single, 0.05) == pytest.approx(half_width(estimate(arms[:1])[0], 0.05), rel=1e-3)


def test_no_block_has_no_ends() -> None:
    nothing, *others = estimate([Contrast([], [], None, 0.0), *(contrast(numbers) for numbers in record(1)[0][:5])])
    assert (nothing.blocks, nothing.interval(0.05).low, nothing.interval(0.05).high) == (0, None, None)
    assert math.isnan(nothing.interval(0.05).value)
    assert nothing.probability_below(0.0) == 0.5
    without, *_ = estimate([contrast(numbers) for numbers in record(1)[0][:5]])
    assert others[0].interval(0.05) == without.interval(0.05)
    assert estimate([]) == []


@pytest.mark.parametrize(
    "arm",
    [
        Contrast([700.0, -700.0, 0.0], [2.0] * 3, 1e5, 3.0),
        Contrast([0.1, 0.1, 0.1, 0.1], [3.0] * 4, 0.0, 8.0),
        Contrast([0.1, 0.1], [1.0, 1.0], None, 0.0),
        Contrast([-300.0] * 6, [1e6] * 6, 1e-30, 6e6),
    ],
)
@pytest.mark.parametrize("beside", [0, 8])
def test_nothing_overflows(arm: Contrast, beside: int) -> None:
    estimates = estimate([arm, *(contrast(numbers) for numbers in record(1)[0][:beside])])
    for estimated in estimates:
        interval = estimated.interval(ERROR)
        assert interval.low is not None and interval.high is not None
        assert math.isfinite(interval.low) and math.isfinite(interval.high)
        assert interval.low < interval.value < interval.high
        assert 0 <= estimated.probability_below(0.0) <= 1


def test_blocks_that_scatter_beyond_the_grid_are_left_to_student_s_t() -> None:
    """The grid of restart spreads ends at 0.6: of starts that differ more, the model would be too sure."""
    logs = [0.0, 2.0, -2.0, 1.0]
    wild, *_ = estimate([Contrast(logs, [4.0] * 4, 0.02**2, 12.0), *(contrast(c) for c in record(1)[0][:8])])
    assert half_width(wild, 0.05) >= stats.t.ppf(0.975, 3) * np.std(logs, ddof=1) / 2 - 1e-9


def test_a_record_of_fifty_contrasts_takes_no_time() -> None:
    """CPU time, so that a busy machine does not count: 40 ms here; the bound is where a report would be felt."""
    arms = [contrast(draw(np.random.default_rng(k), 12, spread=0.02)) for k in range(50)]
    began = time.process_time()
    for estimated in estimate(arms):
        estimated.interval(ERROR)
    assert time.process_time() - began < 1.0


def half_width(of: Estimate, error: float) -> float:
    interval = of.interval(error)
    assert interval.low is not None and interval.high is not None
    return (interval.high - interval.low) / 2
