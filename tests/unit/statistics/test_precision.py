"""Variances and forecasts against values worked by hand; permuted input; simulated data with a known spread."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known import known

from hopcost.statistics.precision import Forecast, Variances, forecast, half_width, spread

BLOCKS = st.lists(st.lists(st.floats(min_value=-1, max_value=1), min_size=2, max_size=6), min_size=1, max_size=6)


def test_two_blocks_of_two_rounds_by_hand() -> None:
    # Means 0.02 and 0.06; within: squares 4 × 0.01² = 0.0004 over 2 degrees of freedom = 0.0002.
    # Between mean square: 2 × (0.02² + 0.02²) ÷ 1 = 0.0016; (0.0016 − 0.0002) ÷ 2 = 0.0007.
    found = known(spread([[0.01, 0.03], [0.05, 0.07]]))
    assert found.within == pytest.approx(0.0002)
    assert found.between == pytest.approx(0.0007)


def test_blocks_that_are_more_alike_than_their_rounds_have_no_variance_between_them() -> None:
    found = known(spread([[0.0, 0.2], [0.1, 0.1]]))
    assert found.between == 0.0


def test_a_block_of_one_round_tells_nothing() -> None:
    assert spread([]) is None
    assert spread([[0.1, 0.2], [0.3]]) is None


@given(BLOCKS, st.randoms())
def test_the_order_of_blocks_and_rounds_does_not_matter(blocks: list[list[float]], dice: random.Random) -> None:
    found = spread(blocks)
    mixed = [dice.sample(rounds, len(rounds)) for rounds in dice.sample(blocks, len(blocks))]
    again = spread(mixed)
    assert found is not None
    assert again is not None
    assert again.within == pytest.approx(found.within, abs=1e-9)
    assert again.between == pytest.approx(found.between, abs=1e-9)


def test_a_known_spread_comes_back() -> None:
    dice = random.Random(11)
    blocks = []
    for _ in range(400):
        restart = dice.gauss(0, 0.03)
        blocks.append([restart + dice.gauss(0, 0.05) for _ in range(10)])
    found = known(spread(blocks))
    # Standard errors of these estimates: within 0.0025 × √(2 ÷ 3600) = 0.00006, between about 0.00008.
    assert found.within == pytest.approx(0.0025, abs=0.0003)
    assert found.between == pytest.approx(0.0009, abs=0.0004)


def test_the_width_of_six_blocks_by_hand() -> None:
    # Variance of a block 0.0001 + 0.0004 ÷ 4 = 0.0002; t(5, 0.975) = 2.570582; × √(0.0002 ÷ 6) = 0.0148413.
    assert half_width(Variances(within=0.0004, between=0.0001), 6, 4, 0.05) == pytest.approx(0.0148413, rel=1e-5)


def ask(seen: Variances, **more: object) -> Forecast | None:
    given: dict[str, object] = {
        "target": 0.01,
        "looks": [6, 10],
        "error": 0.05,
        "error_left": lambda _blocks: 0.05,
        "done": 0,
        "seconds": 1000.0,
        "overhead_s": 3.0,
        "round_s": 1.0,
        "rounds_at_least": 2,
        "rounds_at_most": 100,
    }
    return forecast(seen, **(given | more))  # type: ignore[arg-type]


def test_the_rounds_of_six_and_of_ten_blocks_by_hand() -> None:
    # Six: 6 × (0.01 ÷ 2.570582)² = 0.0000908; 0.0016 ÷ 0.0000908 = 17.62, so 18 rounds: 6 × 21 = 126 s.
    # Ten: t(9, 0.975) = 2.262157; 10 × (0.01 ÷ 2.262157)² = 0.00019541; 8.19, so 9 rounds: 10 × 12 = 120 s.
    found = known(ask(Variances(within=0.0016, between=0.0)))
    assert (found.blocks, found.rounds, found.seconds) == (10, 9, 120.0)
    # Where a block costs 10 s by itself, six longer ones are quicker: 6 × 28 = 168 against 10 × 19 = 190.
    found = known(ask(Variances(within=0.0016, between=0.0), overhead_s=10.0))
    assert (found.blocks, found.rounds, found.seconds) == (6, 18, 168.0)


def test_restarts_that_differ_too_much_cannot_be_outvoted_by_rounds() -> None:
    # With ten blocks: 2.262157 × √(0.001 ÷ 10) = 0.0226: not 1 %, and the narrowest that there is.
    found = known(ask(Variances(within=0.0, between=0.001)))
    assert (found.blocks, found.half_width) == (10, pytest.approx(0.0226216, rel=1e-5))


def test_blocks_have_a_longest() -> None:
    found = known(ask(Variances(within=0.0016, between=0.0), rounds_at_most=8))
    assert (found.blocks, found.rounds, found.half_width > 0.01) == (10, 8, True)
    found = known(ask(Variances(within=0.0016, between=0.0), rounds_at_most=9))
    assert (found.blocks, found.rounds, found.half_width <= 0.01) == (10, 9, True)


def test_time_too_short_for_the_target_is_spent_on_the_narrowest() -> None:
    # Six blocks of 60 ÷ 6 − 3 = 7 rounds: 2.570582 × √(0.0016 ÷ 7 ÷ 6) = 0.015866; ten of 3 rounds: 2.262157 ×
    # √(0.0016 ÷ 30) = 0.016520.
    found = known(ask(Variances(within=0.0016, between=0.0), seconds=60.0))
    assert (found.blocks, found.rounds, found.half_width) == (6, 7, pytest.approx(0.015866, rel=1e-4))
    assert ask(Variances(within=0.0016, between=0.0), seconds=25.0) is None  # six of 2 rounds take 30 s


def test_a_run_that_ends_by_its_time_has_the_error_of_looks_that_never_come() -> None:
    # Six blocks of 7 rounds, 0.015274 without Student's t: as above, and with t(5, 0.9875) = 3.163382 at a look.
    seen = Variances(within=0.0016, between=0.0)
    found = known(ask(seen, seconds=60.0, error=0.025, error_left=lambda blocks: {6: 0.05, 10: 0.025}[blocks]))
    assert (found.blocks, found.rounds, found.half_width) == (6, 7, pytest.approx(0.015866, rel=1e-4))
    assert half_width(seen, 6, 7, 0.025) == pytest.approx(0.015866 * 3.163382 / 2.570582, rel=1e-4)
    # What no look can stop at is not said to reach the target, though it will.
    near = known(ask(seen, seconds=100.0, error=0.0125, error_left=lambda _blocks: 0.05))
    assert near.half_width == half_width(seen, near.blocks, near.rounds, 0.05)


def test_blocks_done_already_take_no_time() -> None:
    # Nine are done: one more of 9 rounds.
    found = known(ask(Variances(within=0.0016, between=0.0), done=9))
    assert (found.blocks, found.rounds, found.seconds) == (10, 9, 12.0)
    assert ask(Variances(within=0.0016, between=0.0), done=10) is None


def test_a_forecast_reaches_its_target() -> None:
    seen = Variances(within=0.004, between=0.00005)
    found = known(ask(seen))
    assert half_width(seen, found.blocks, found.rounds, 0.05) <= 0.01
    assert half_width(seen, found.blocks, found.rounds - 1, 0.05) > 0.01
    assert math.isclose(found.seconds, found.blocks * (3 + found.rounds))
