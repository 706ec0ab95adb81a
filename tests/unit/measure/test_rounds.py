"""The rounds of a block out of the time that is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopcost.measure.sizing import rounds_for_block


@pytest.mark.parametrize(
    ("seconds_left", "blocks_left", "overhead_s", "round_s", "at_most", "rounds"),
    [
        (60, 1, 0, 1, 100, 60),
        (60, 6, 3, 0.7, 100, 10),
        (60, 6, 3, 0.7, 8, 8),
        (60, 6, 0, 1, 30, 10),
        (0.3, 1, 0, 0.1, 30, 3),  # 0.3 ÷ 0.1 is 2.9999999999999996
        (4, 1, 2, 1, 30, 2),
        (3.99, 1, 2, 1, 30, 0),  # one round is no block
        (2, 1, 2, 1, 30, 0),
        (1, 1, 2, 1, 30, 0),
        (0, 1, 0, 1, 30, 0),
        (-5, 3, 1, 1, 30, 0),
    ],
)
def test_rounds_for_a_block(
    seconds_left: float, blocks_left: int, overhead_s: int, round_s: float, at_most: int, rounds: int
) -> None:
    found = rounds_for_block(
        seconds_left=seconds_left, blocks_left=blocks_left, overhead_s=overhead_s, round_s=round_s, at_most=at_most
    )
    assert found == rounds


@given(
    st.floats(min_value=-100, max_value=10_000),
    st.integers(1, 30),
    st.floats(min_value=0, max_value=60),
    st.floats(min_value=0.01, max_value=30),
    st.integers(2, 100),
)
def test_rounds_never_take_more_time_than_there_is(
    seconds_left: float, blocks_left: int, overhead_s: float, round_s: float, at_most: int
) -> None:
    rounds = rounds_for_block(
        seconds_left=seconds_left, blocks_left=blocks_left, overhead_s=overhead_s, round_s=round_s, at_most=at_most
    )
    share_s = seconds_left / blocks_left
    assert rounds == 0 or 2 <= rounds <= at_most
    assert rounds == 0 or overhead_s + rounds * round_s <= share_s * (1 + 1e-9) + 1e-6
    one_more = overhead_s + (max(rounds, 1) + 1) * round_s
    assert rounds == at_most or one_more > share_s * (1 - 1e-9), "another round would have fitted"
