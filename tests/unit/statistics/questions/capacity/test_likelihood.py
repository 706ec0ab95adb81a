"""Counts in bursts: their distribution, how large a queue's are, and probes that say little."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hopcost.statistics.questions.capacity.likelihood import (
    STEEPNESSES,
    Probe,
    capacities,
    curves,
    log_density,
    log_likelihood,
    queue_burst,
)

ALLOWED = 0.01


@pytest.mark.parametrize(("mean", "size"), [(30.0, 2.0), (30.0, 40.0), (3.0, 10.0)])
def test_the_density_has_the_mean_and_the_variance_of_bursts(mean: float, size: float) -> None:
    """A Poisson number m ÷ b of exponential sizes b: mean m, variance 2 m b, and none with the probability e^(-m/b)."""
    counts = np.linspace(0.005, mean + 40 * math.sqrt(2 * mean * size), 200_000)
    width = counts[1] - counts[0]
    means, sizes = np.array([mean]), np.array([size])
    densities = np.array([float(np.exp(log_density(float(count), means, sizes))[0]) for count in counts[::20]])
    none = float(np.exp(log_density(0.0, means, sizes))[0])
    assert none == pytest.approx(math.exp(-mean / size))
    assert none + densities.sum() * 20 * width == pytest.approx(1.0, abs=0.01)
    first = (densities * counts[::20]).sum() * 20 * width
    second = (densities * counts[::20] ** 2).sum() * 20 * width
    assert first == pytest.approx(mean, rel=0.01)
    assert second - first**2 == pytest.approx(2 * mean * size, rel=0.02)


def test_a_steep_curve_belongs_to_long_bursts() -> None:
    """M/D/1 with p99 at 5, 20 and 50 service times, simulated: 4, 65 and 260 in probes of 2.5 s."""
    steepnesses = np.array([7.6, 38.2, 98.5])
    bursts = [queue_burst(steepnesses, ALLOWED, requests)[place] for place, requests in enumerate((1400, 2215, 2385))]
    assert bursts == pytest.approx([3.6, 65.0, 263.0], rel=0.35)
    assert float(queue_burst(np.array([1000.0]), ALLOWED, 600)[0]) < 100.0


def test_a_stall_of_the_machine_says_little() -> None:
    """At half the rate that all others hold, half of the requests are slow: no capacity becomes impossible by it."""
    stalled = log_likelihood(Probe(math.log(500), 500, 1000), ALLOWED, math.log(1000))
    assert float(stalled.min()) > math.log(0.02 / 1000) - 1e-9


def test_many_slow_requests_make_lower_capacities_likelier() -> None:
    grid = capacities(math.log(1000))
    likelihood = log_likelihood(Probe(math.log(1000), 60, 2000), ALLOWED, math.log(1000))
    assert likelihood.shape == (len(curves()), len(grid)) and len(curves()) % len(STEEPNESSES) == 0
    best = np.exp(grid[likelihood.argmax(axis=1)])
    assert (best < 1005).all() and float(np.median(best)) < 995
