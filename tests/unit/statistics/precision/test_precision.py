"""Widths and forecasts with known variances: by hand, and against the intervals that a run will have."""

from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known import known

from hopcost.statistics.precision import looks, precision
from hopcost.statistics.precision.precision import Cost, Forecast, Variances
from hopcost.statistics.random_effects import Contrast, estimate

ERROR = 0.0125  # of one of four arms


@pytest.mark.parametrize(
    ("cost", "within", "between", "rounds"),
    [
        (Cost(3.05, 8.0), 0.019, 0.024, 2),  # √(0.381 × 0.627) = 0.49: never fewer than two
        (Cost(8.0, 2.0), 0.04, 0.01, 8),  # √(4 × 16)
        (Cost(8.0, 2.0), 0.04, 0.02, 4),  # starts that differ twice as much are worth half the rounds
        (Cost(2.0, 2.0), 0.04, 0.01, 4),  # so are starts of a quarter of the cost
    ],
)
def test_the_best_rounds_per_start_by_hand(cost: Cost, within: float, between: float, rounds: int) -> None:
    assert precision.rounds_per_start(cost, Variances(within=within**2, between=between**2)) == rounds


@given(st.floats(0.5, 30), st.floats(0.5, 30), st.floats(0.001, 0.2), st.floats(0.001, 0.2))
def test_no_other_number_of_rounds_is_better(start_s: float, round_s: float, within: float, between: float) -> None:
    """The variance that an hour of such starts leaves: of a block, times seconds of a block."""
    cost, seen = Cost(start_s, round_s), Variances(within=within**2, between=between**2)
    best = precision.rounds_per_start(cost, seen)
    left = {rounds: seen.of_block(rounds) * cost.of_block(rounds) for rounds in (best, best * 2, max(2, best // 2))}
    assert left[best] <= min(left.values()) * 1.06  # rounded to whole rounds


def test_starts_that_do_not_differ_ask_for_as_many_rounds_as_there_can_be() -> None:
    assert precision.rounds_per_start(Cost(3, 1), Variances(within=0.01, between=0.0)) > 1000


def test_the_width_of_five_starts_by_hand() -> None:
    # Variance of a start 0.0001 + 0.0004 ÷ 4 = 0.0002; √(0.0002 ÷ 5) = 0.0063246. Six degrees of freedom (1.5 × 4):
    # t = 2.446912; alone it has four: t = 2.776445.
    seen = Variances(within=0.0004, between=0.0001)
    assert precision.half_width(seen, 5, 4, 0.05) == pytest.approx(0.0154757, rel=1e-5)
    assert precision.half_width(seen, 5, 4, 0.05, contrasts=1) == pytest.approx(0.0175599, rel=1e-5)
    assert precision.half_width(seen, 1, 4, 0.05) == math.inf


@pytest.mark.parametrize("between", [0.01, 0.03])
@pytest.mark.parametrize(("starts", "arms"), [(4, 4), (6, 4), (12, 4), (6, 1), (12, 1)])
def test_the_width_is_that_of_the_intervals_to_come(starts: int, arms: int, between: float) -> None:
    """Records of four arms, or one, drawn with these variances: the median half-width of their intervals."""
    dice, within, rounds, error = random.Random(f"{starts}/{arms}/{between}"), 0.03, 2, 0.05 / arms
    widths = []
    for _ in range(30):
        contrasts = []
        for _ in range(arms):
            blocks = [dice.gauss(0, between) for _ in range(starts)]
            slices = [[restart + dice.gauss(0, within) for _ in range(rounds)] for restart in blocks]
            variance = statistics.mean(statistics.variance(piece) for piece in slices)
            means = [statistics.mean(piece) for piece in slices]
            contrasts.append(Contrast(means, [rounds] * starts, variance, starts * (rounds - 1)))
        intervals = [interval.interval(error) for interval in estimate(contrasts)]
        widths += [(known(interval.high) - known(interval.low)) / 2 for interval in intervals]
    seen = Variances(within=within**2, between=between**2)
    assert precision.half_width(seen, starts, rounds, error, contrasts=arms) == pytest.approx(
        statistics.median(widths), rel=0.25
    )


def test_one_percent_is_a_matter_of_starts_and_never_out_of_reach() -> None:
    # Normal quantile 2.4977 × 0.03 ÷ √n = 0.01 at n = 56; with Student's t a little more.
    seen = Variances(within=0.0, between=0.03**2)
    starts = precision.starts_to_reach(0.01, seen, 2, ERROR)
    assert 56 < starts < 64
    assert precision.half_width(seen, starts, 2, ERROR) <= 0.01 < precision.half_width(seen, starts - 1, 2, ERROR)
    assert precision.starts_to_reach(0.5, seen, 2, ERROR) <= 3


def test_more_rounds_do_not_replace_starts() -> None:
    seen = Variances(within=0.0001, between=0.03**2)
    assert precision.starts_to_reach(0.01, seen, 1000, ERROR) > 50


def test_what_settles_a_question_by_hand() -> None:
    # 1.05 beside a margin of 2 %: an interval no wider than ln 1.05 on either side excludes 1. 1.01: a direction from
    # ln 1.01 on, 0.00995, same from ln 1.02 - ln 1.01 on, 0.00985: the first comes first. 1.004: same comes first.
    assert precision.half_width_that_settles(math.log(1.05), 0.02) == math.log(1.05)
    assert precision.half_width_that_settles(-math.log(1.05), 0.02) == math.log(1.05), "either way round"
    assert precision.half_width_that_settles(math.log(1.01), 0.02) == math.log(1.01)
    assert precision.half_width_that_settles(math.log(1.004), 0.02) == pytest.approx(math.log(1.02 / 1.004))


@given(st.floats(-3, 3), st.floats(0.001, 1))
def test_no_question_needs_less_than_half_the_margin(log_ratio: float, margin: float) -> None:
    assert precision.half_width_that_settles(log_ratio, margin) >= math.log1p(margin) / 2


def test_the_time_to_an_answer_by_hand() -> None:
    # ±1 % takes 59 starts (the example of starts_to_reach); 19 took 190 s, so the other 40 take 400 s.
    seen = Variances(within=0.0, between=0.03**2)
    settling = precision.time_to_reach(0.01, seen, half_width=0.07, rounds=2, error=ERROR, starts=19, seconds=190.0)
    assert (settling.half_width, settling.starts, settling.seconds) == (0.07, 40, 400.0)
    assert settling.target == pytest.approx(0.01, rel=1e-4)


def test_what_is_not_settled_takes_at_least_one_more_start() -> None:
    seen = Variances(within=0.0, between=1e-8)
    settling = precision.time_to_reach(0.02, seen, half_width=0.03, rounds=2, error=ERROR, starts=50, seconds=100.0)
    assert (settling.starts, settling.seconds) == (1, 2.0)


def ask(seen: Variances, **more: object) -> Forecast | None:
    given: dict[str, object] = {
        "rounds": 2, "done": 0, "target": 0.03, "looks": looks.looks_after(0), "look_error": 0.035,
        "end_error": 0.05, "seconds": 1000.0,
    }  # fmt: skip
    return precision.forecast(seen, Cost(3.0, 1.0), **(given | more))  # type: ignore[arg-type]


def test_a_run_ends_at_the_first_look_that_is_narrow_enough() -> None:
    # Of a start √0.0009 = 0.03. Six: t(7.5, 0.9825) = 2.5686 × 0.03 ÷ √6 = 0.03146; eight: t(10.5, 0.9825) = 2.4197
    # × 0.03 ÷ √8 = 0.02566. Blocks take 5 s.
    forecast = known(ask(Variances(within=0.0, between=0.0009)))
    assert (forecast.blocks, forecast.rounds, forecast.seconds) == (8, 2, 40.0)
    assert forecast.half_width == pytest.approx(0.02566, rel=0.001)
    again = known(ask(Variances(within=0.0, between=0.0009), done=6, looks=looks.looks_after(6)))
    assert (again.blocks, again.seconds) == (8, 10.0), "blocks done take no time"


def test_a_run_that_will_not_be_narrow_enough_ends_with_its_time() -> None:
    seen = Variances(within=0.0, between=0.01)
    forecast = known(ask(seen, seconds=52.0))
    assert (forecast.blocks, forecast.seconds) == (10, 52.0)
    assert forecast.half_width == precision.half_width(seen, 10, 2, 0.05), "no look is paid for"
    assert ask(seen, seconds=9.0) is None, "a single start has no width"
    assert known(ask(seen, seconds=0.0, done=3)).blocks == 3


def test_looks_without_an_end_are_asked_no_further_than_the_time() -> None:
    assert known(ask(Variances(within=0.0, between=1.0), looks=itertools.count(1), seconds=500.0)).blocks == 100
