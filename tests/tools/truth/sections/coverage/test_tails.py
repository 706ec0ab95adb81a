"""p99 under stalls that come in clusters: what is simulated, and a few cells of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tools.truth.sections.coverage.judge import probability_of_so_few
from tools.truth.sections.coverage.noise import Shape
from tools.truth.sections.coverage.tails import SERVICE_LOG_SD, SERVICE_MS, Stalls, cell, packed, times

SHAPE = Shape(blocks=4, rounds=2, arms=1, experiments=1)


def test_without_stalls_it_is_the_p99_of_the_service_time() -> None:
    response = times(np.random.default_rng(1), SHAPE, Stalls(0.0, 0.0), records=10)
    assert response.shape == (10, 4, 2, 3, 2000)
    by_hand = stats.lognorm.ppf(0.99, SERVICE_LOG_SD, scale=SERVICE_MS)
    assert np.quantile(response, 0.99) == pytest.approx(by_hand, rel=0.02)


def test_stalls_hold_up_their_share_of_requests() -> None:
    """One of 20 ms every two seconds: 1 % of requests wait, 20 ms on average, since long stalls have more of them."""
    response = times(np.random.default_rng(1), SHAPE, Stalls(0.5, 20.0), records=60)
    held_up = response[response > 5.0]
    assert held_up.size / response.size == pytest.approx(0.01 * np.exp(-5 / 20), rel=0.35)
    assert held_up.mean() == pytest.approx(25.0, rel=0.25)


def test_a_block_s_p99_is_that_of_all_its_slices() -> None:
    response = times(np.random.default_rng(2), SHAPE, Stalls(0.5, 20.0), records=2)
    logs = np.log(np.quantile(np.moveaxis(response, 3, 2).reshape(2, 4, 3, 4000), 0.99, axis=-1))
    blocks = packed(response)
    assert blocks.logs[:, 0] == pytest.approx(logs[..., 0] - logs[..., 1:].mean(-1))
    assert blocks.logs[:, 1] == pytest.approx(logs[..., 2] - logs[..., 1])
    assert blocks.learns.tolist() == [True, False]
    assert blocks.degrees.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("stalls", [Stalls(0.0, 0.0, restart_spread=0.05), Stalls(0.5, 20.0)])
def test_intervals_of_p99_hold_the_truth(stalls: Stalls) -> None:
    figures = cell(SHAPE, "test", stalls, experiments=120)
    assert probability_of_so_few(figures["holds"], 120, 0.94) > 0.001
    assert figures["factor"] > 1
