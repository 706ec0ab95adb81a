"""Student's t beside the model, against scipy's and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hopcost.statistics.random_effects.contrast import Contrast, pack
from hopcost.statistics.random_effects.student import scatter, student

LOGS = [0.1, 0.3, 0.2, 0.4]


def test_equal_blocks_are_a_t_test() -> None:
    t = student(pack([Contrast(LOGS, [3.0] * 4, None, 0.0)]))[0]
    low, high = stats.t.interval(0.9, 3, np.mean(LOGS), stats.sem(LOGS))
    assert t.quantiles(np.array([0.05, 0.95])) == pytest.approx([low, high])
    assert t.probability_below(low) == pytest.approx(0.05)


def test_blocks_weigh_by_their_rounds() -> None:
    """(0.1 × 1 + 0.5 × 3) ÷ 4 = 0.4; variance (1 × 0.09 + 3 × 0.01) ÷ 4 ÷ 1 = 0.03."""
    t = student(pack([Contrast([0.1, 0.5], [1.0, 3.0], None, 0.0)]))[0]
    assert (float(t.centres), float(t.errors) ** 2, float(t.degrees)) == pytest.approx((0.4, 0.03, 1.0))


def test_a_single_block_says_nothing_and_no_spread_says_all() -> None:
    single, equal = (student(pack([Contrast([0.2] * n, [2.0] * n, None, 0.0)]))[0] for n in (1, 3))
    assert single.probability_below(5.0) == 0.5
    assert (equal.probability_below(0.1), equal.probability_below(0.3)) == pytest.approx((0.0, 1.0))


def test_scatter_is_the_standard_deviation_over_blocks() -> None:
    short, long = Contrast([0.5], [2.0], None, 0.0), Contrast(LOGS, [3.0, 1.0, 2.0, 9.0], None, 0.0)
    assert scatter(pack([short, long])) == pytest.approx([0.0, np.std(LOGS, ddof=1)])
