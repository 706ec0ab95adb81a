"""The interval of explain/intervals.md written down a second time, contrast by contrast, to hold the product's against.

It shares no code with hopcost.statistics.random_effects.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Floats = NDArray[np.float64]
SPREADS = np.array([1e-4, *np.exp(np.linspace(math.log(0.0015), math.log(0.6), 26))])
DEVIATES = np.linspace(-2.4, 2.4, 7)
SCALES = np.exp(np.linspace(math.log(0.004), math.log(0.4), 9))


@dataclass
class Numbers:
    """Block log-ratios, rounds, variance of one round (None if unknown), its degrees of freedom."""

    logs: Floats
    rounds: Floats
    variance: float | None
    degrees: float


def moderated(contrasts: Sequence[Numbers]) -> list[tuple[float, float]]:
    """Variance and degrees of freedom after moderation."""
    known = [(c.variance, c.degrees) for c in contrasts if c.variance is not None]
    logs = [math.log(v) - special.digamma(d / 2) + math.log(d / 2) for v, d in known]
    count = len(logs)
    if count:
        squares = sum((log - sum(logs) / count) ** 2 for log in logs)
        trigammas = sum(float(special.polygamma(1, d / 2)) for _, d in known) / count
        spread = max(0.1, (squares - (count - 1) * trigammas + 4 * 0.4) / (count - 1 + 4))
        low, high = 1e-3, 1e3  # trigamma falls: bisection
        for _ in range(200):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if special.polygamma(1, middle) > spread else (low, middle)
        prior_degrees = min(20.0, 2 * low)
        half = prior_degrees / 2
        prior = math.exp(sum(logs) / count + special.digamma(half) - math.log(half))
    return [
        (0.03**2, 2.0)
        if c.variance is None
        else ((prior_degrees * prior + c.degrees * c.variance) / (prior_degrees + c.degrees), prior_degrees + c.degrees)
        for c in contrasts
    ]


def posteriors(
    contrasts: Sequence[Numbers], learns: Sequence[bool], tails: float, median: float, log_sd: float
) -> list[tuple[Floats, Floats, Floats]]:
    """Weights, means and standard deviations of each contrast's mixture of normals."""
    edges = np.array([0.0, *np.sqrt(SPREADS[1:] * SPREADS[:-1]), math.inf])
    prior = np.array([2 * np.diff(stats.t.cdf(edges / scale, tails)) for scale in SCALES])
    grids = []
    for contrast, (variance, degrees) in zip(contrasts, moderated(contrasts), strict=True):
        sigma2 = variance * np.exp(DEVIATES * math.sqrt(2 / max(degrees, 2)))
        weights = 1 / (SPREADS[:, None, None] ** 2 + sigma2[None, :, None] / contrast.rounds)
        mean = (weights * contrast.logs).sum(2) / weights.sum(2)
        log = 0.5 * np.log(weights).sum(2) - 0.5 * np.log(weights.sum(2))
        log -= 0.5 * (weights * (contrast.logs - mean[:, :, None]) ** 2).sum(2)
        log -= degrees / 2 * np.log(sigma2) + degrees * variance / (2 * sigma2)
        grids.append(np.stack([log, mean, weights.sum(2) ** -0.5], axis=2))
    likelihoods = [np.exp(grid[..., 0] - grid[..., 0].max()) for grid in grids]
    evidence = [prior @ likelihood.sum(1) for likelihood in likelihoods]
    scales = np.exp(-0.5 * (np.log(SCALES / median) / log_sd) ** 2)
    for row, learning in zip(evidence, learns, strict=True):
        scales = scales * (row / row.max()) ** (0.6 if learning else 0.0)
    mixtures = []
    for grid, likelihood, row in zip(grids, likelihoods, evidence, strict=True):
        weights = likelihood * ((scales / row) @ prior)[:, None]
        mixtures.append((weights / weights.sum(), grid[..., 1], grid[..., 2]))
    return mixtures


def below(mixture: tuple[Floats, Floats, Floats], x: float) -> float:
    """P(mu <= x)."""
    weights, means, sds = mixture
    return float((weights * stats.norm.cdf(x, means, sds)).sum())
