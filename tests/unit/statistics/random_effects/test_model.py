"""The grid's priors and likelihood, where they can be worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hopcost.statistics.random_effects.contrast import Contrast, pack
from hopcost.statistics.random_effects.model import FEW, LEARNED, SCALES, TAUS, Mixture, likelihood, posterior


@pytest.mark.parametrize("prior", [LEARNED, FEW])
def test_the_cells_of_a_prior_are_all_of_it(prior) -> None:  # type: ignore[no-untyped-def]
    assert prior.of_taus.shape == (len(SCALES), len(TAUS))
    assert prior.of_taus.sum(1) == pytest.approx(np.ones(len(SCALES)))
    assert (prior.of_taus > 0).all()


def test_half_of_a_half_cauchy_lies_below_its_scale() -> None:
    near = np.searchsorted(TAUS, SCALES[4])
    assert FEW.of_taus[4, :near].sum() == pytest.approx(0.5, abs=0.05)


def test_two_blocks_by_hand() -> None:
    """d = 0 and 0.1 with variance v each: the difference is all that is left, normal with 2 v."""
    blocks = pack([Contrast([0.0, 0.1], [4.0, 4.0], 0.02**2, 6.0)])
    terms = likelihood(blocks, blocks.variance, blocks.degrees)
    tau, middle = 10, 3  # the middle deviate is 0: sigma² is its estimate
    v = TAUS[tau] ** 2 + 0.02**2 / 4
    of_rounds = -3 * np.log(0.02**2) - 3
    by_hand = stats.norm.logpdf(0.1, 0, np.sqrt(2 * v)) + 0.5 * np.log(2 * np.pi) + 0.5 * np.log(2) - 0.5 * np.log(2)
    assert terms.logs[0, tau, middle] == pytest.approx(by_hand + of_rounds)
    assert terms.centres[0, tau, middle] == pytest.approx(0.05)
    assert terms.widths[0, tau, middle] == pytest.approx(np.sqrt(v / 2))


def test_a_block_of_no_rounds_is_no_block() -> None:
    short, long = Contrast([0.0, 0.1], [4.0, 4.0], 0.02**2, 6.0), Contrast([0.0] * 5, [4.0] * 5, 0.02**2, 15.0)
    alone, beside = pack([short]), pack([short, long])
    assert likelihood(beside, beside.variance, beside.degrees).logs[0] == pytest.approx(
        likelihood(alone, alone.variance, alone.degrees).logs[0]
    )


def test_records_of_one_shape_go_through_together() -> None:
    dice = np.random.default_rng(1)
    records = [[Contrast((0.03 * dice.standard_normal(3)).tolist(), [2.0] * 3, 0.02**2, 3.0)] * 5 for _ in range(2)]
    packed = [pack(record) for record in records]
    both = type(packed[0])(
        np.stack([arm.logs for arm in packed]),
        packed[0].rounds,
        packed[0].variance,
        packed[0].degrees,
        packed[0].learns,
    )
    variance = np.broadcast_to(both.variance, (2, 5))
    together = posterior(likelihood(both, variance, both.degrees), both.learns, LEARNED)
    for row, contrast in enumerate(packed):
        alone = posterior(likelihood(contrast, contrast.variance, contrast.degrees), contrast.learns, LEARNED)
        assert together.weights[row] == pytest.approx(alone.weights)


def test_a_mixture_of_one_is_a_normal_distribution() -> None:
    normal = Mixture(np.ones((1, 1)), np.array([[0.3]]), np.array([[0.1]]))
    assert normal.probability_below(0.3) == pytest.approx(0.5)
    assert normal.quantiles(np.array([0.025, 0.975])) == pytest.approx(0.3 + 0.1 * stats.norm.ppf([0.025, 0.975]))
