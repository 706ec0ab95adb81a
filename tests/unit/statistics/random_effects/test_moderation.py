"""The steadied variances, against numbers worked by hand and beside the limits of the method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import polygamma

from hopcost.statistics.random_effects.contrast import Contrast, pack
from hopcost.statistics.random_effects.moderation import inverse_trigamma, moderate, squeeze


def test_a_single_variance_keeps_its_place_and_gains_the_prior_s_degrees() -> None:
    """Alone, its prior is 0.4: d0 = 2 × the y of trigamma(y) = 0.4, which is 2.9675."""
    variance, degrees = squeeze(np.array([0.04]), np.array([1e6]))
    assert variance[0] == pytest.approx(0.04, rel=1e-4)
    assert degrees[0] - 1e6 == pytest.approx(2 * 2.9675, rel=1e-3)


def test_equal_variances_stay_and_lean_on_each_other() -> None:
    variance, degrees = squeeze(np.full(30, 0.01), np.full(30, 1e5))
    assert variance == pytest.approx(np.full(30, 0.01), rel=1e-3)
    assert degrees[0] - 1e5 == pytest.approx(20)  # at most: the floor of the spread, 0.1, would allow 20.9


def test_with_few_degrees_the_extremes_are_drawn_in() -> None:
    raw = np.array([0.001, 0.01, 0.01, 0.01, 0.1])
    variance, _ = squeeze(raw, np.full(5, 2.0))
    assert raw[0] < variance[0] < variance[1] < variance[-1] < raw[-1]


def test_records_of_one_shape_go_through_together() -> None:
    raw = np.random.default_rng(1).chisquare(4, (3, 6)) / 4
    together, _ = squeeze(raw, np.full(6, 4.0))
    for row in range(3):
        assert together[row] == pytest.approx(squeeze(raw[row], np.full(6, 4.0))[0])


def test_an_unknown_variance_is_that_of_slices_and_moves_no_other() -> None:
    known, unknown = Contrast([0.1, 0.2], [2, 2], 0.01, 2.0), Contrast([0.1, 0.2], [1, 1], None, 0.0)
    variance, degrees = moderate(pack([known, unknown, known]))
    alone, _ = moderate(pack([known, known]))
    assert (variance[1], degrees[1]) == (0.03**2, 2.0)
    assert variance[[0, 2]] == pytest.approx(alone)


def test_rounds_that_are_all_equal_have_some_variance() -> None:
    variance, _ = squeeze(np.array([0.0, 0.01]), np.array([8.0, 8.0]))
    assert variance[0] > 0 and np.isfinite(variance).all()


@pytest.mark.parametrize("value", [0.1, 0.4, 3.0, 700.0])
def test_the_inverse_of_trigamma(value: float) -> None:
    assert polygamma(1, inverse_trigamma(np.array([value])))[0] == pytest.approx(value, rel=1e-7)
