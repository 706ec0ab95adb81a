"""Contrasts of unlike lengths in one array."""

from __future__ import annotations

import pytest

from hopcost.statistics.random_effects.contrast import Contrast, pack


def test_the_short_ones_are_filled_up_with_blocks_of_no_rounds() -> None:
    blocks = pack([Contrast([0.1], [2.0], None, 0.0), Contrast([0.2, 0.3], [4.0, 3.0], 0.01, 5.0, learns=False)])
    assert blocks.logs.tolist() == [[0.1, 0.0], [0.2, 0.3]]
    assert blocks.rounds.tolist() == [[2.0, 0.0], [4.0, 3.0]]
    assert blocks.counts.tolist() == [1, 2]
    assert blocks.learns.tolist() == [True, False]
    assert (blocks.variance[1], *blocks.degrees) == pytest.approx((0.01, 0.0, 5.0))
