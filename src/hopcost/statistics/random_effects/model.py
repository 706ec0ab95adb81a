"""The posterior of a contrast's log-ratio mu, on a grid; mu itself is integrated out.

    block's log-ratio ~ N(mu, tau² + sigma² / rounds)
    tau: how much starts differ, half-t (Gelman 2006, Bayesian Analysis 1(3)) of a scale that all contrasts share
    sigma²: of one round, from the chi-square of the rounds within blocks; flat in its logarithm.  mu: flat

The posterior of mu is a mixture of normals, one per point of the grid (Röver 2020, Journal of Statistical Software
93(6), has it for one contrast). Nothing here is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from hopcost.statistics.random_effects.contrast import Blocks, Bools, Floats

TAUS = np.concatenate([[1e-4], np.geomspace(0.0015, 0.6, 26)])  # (T,)
SCALES = np.geomspace(0.004, 0.4, 9)  # (K,): of the half-t
DEVIATES = np.linspace(-2.4, 2.4, 7)  # (S,): sigma² lies so many of its standard errors from the estimate
TEMPER = 0.6  # arms share a baseline, so what they say of the scale counts less than that of as many strangers
MAX_STEPS = 60  # as many halvings find a quantile whatever the posterior looks like; mostly six do
PRECISION = 1e-12  # of a quantile, a logarithm


@dataclass(frozen=True)
class Prior:
    """Of restart spreads: half-t of so many degrees of freedom; its scale is log-normal."""

    degrees: float
    median: float
    log_sd: float

    @cached_property
    def of_taus(self) -> Floats:
        """Probability of each tau's cell of the grid under each scale, (K, T); cells meet at geometric means."""
        edges = np.concatenate([[0.0], np.sqrt(TAUS[1:] * TAUS[:-1])])
        below = 2 * stdtr(self.degrees, edges / SCALES[:, None]) - 1
        return np.asarray(np.diff(below, axis=1, append=1.0))

    @cached_property
    def log_of_scales(self) -> Floats:
        """Logarithm of the scales' density, up to a constant, (K,)."""
        return -0.5 * (np.log(SCALES / self.median) / self.log_sd) ** 2


LEARNED = Prior(degrees=2, median=0.06, log_sd=1.0)
# Two or three starts of few arms teach next to nothing: heavier tails, and a larger scale.
FEW = Prior(degrees=1, median=0.10, log_sd=0.7)


@dataclass(frozen=True)
class Likelihood:
    """By point of the grid: the logarithm of the likelihood, and mean and standard error of mu there."""

    logs: Floats  # (..., G, T, S)
    centres: Floats  # (..., G, T, S)
    widths: Floats  # (..., G, T, S)


@dataclass(frozen=True)
class Mixture:
    """A posterior of mu: normals of given means and standard deviations, weighted; weights (..., T, S) add up to 1."""

    weights: Floats
    centres: Floats
    widths: Floats

    def probability_below(self, x: float) -> Floats:
        """P(mu <= x), (...)."""
        below = (self.weights * ndtr((x - self.centres) / self.widths)).sum((-2, -1))
        return np.asarray(np.minimum(below, 1.0))  # the sum of 189 weights may be a rounding error above

    def quantiles(self, probabilities: Floats) -> Floats:
        """For several probabilities (P,), (..., P).

        By Newton's steps on the normal scale, on which tails are nearly straight; a step that would leave the
        bracket halves it instead.
        """
        flat = (*self.weights.shape[:-2], 1, -1)
        weights, centres, widths = (of.reshape(flat) for of in (self.weights, self.centres, self.widths))
        shape = (*flat[:-2], len(probabilities))
        low = np.broadcast_to((centres - 12 * widths).min(-1), shape)
        high = np.broadcast_to((centres + 12 * widths).max(-1), shape)
        x, wanted = np.broadcast_to((weights * centres).sum(-1), shape), ndtri(probabilities)
        for _ in range(MAX_STEPS):
            deviates = (x[..., None] - centres) / widths
            below = (weights * ndtr(deviates)).sum(-1)
            low, high = np.where(below < probabilities, x, low), np.where(below < probabilities, high, x)
            with np.errstate(all="ignore"):  # beyond the last digit of a tail nothing is known: halve
                normal = ndtri(below)
                slope = (weights / widths * np.exp(-0.5 * deviates**2)).sum(-1) / np.exp(-0.5 * normal**2)
                stepped = x - (normal - wanted) / slope
            following = np.where((low <= stepped) & (stepped <= high), stepped, (low + high) / 2)
            is_found, x = np.all(np.abs(following - x) < PRECISION), following
            if is_found:
                break
        return np.asarray(x)

    def mean_tau(self) -> Floats:
        """Posterior mean of the restart spread, (...)."""
        return np.asarray(self.weights.sum(-1) @ TAUS)

    def __getitem__(self, row: int) -> Mixture:
        """That of one contrast."""
        return Mixture(self.weights[row], self.centres[row], self.widths[row])


def likelihood(blocks: Blocks, variance: Floats, degrees: Floats) -> Likelihood:
    """Of the blocks at each (tau, sigma²), given the moderated variance of a round and its degrees, both (..., G).

    mu is integrated out: what is left of n normal blocks is the restricted likelihood (Harville 1974).
    """
    sigmas = variance[..., None] * np.exp(DEVIATES * np.sqrt(2 / np.maximum(degrees, 2.0))[..., None])  # (..., G, S)
    half = degrees[..., None] / 2
    logs = (-half * np.log(sigmas) - half * variance[..., None] / sigmas)[..., None, :]  # what the rounds say of sigma²
    groups = [_blocks_of(blocks, rounds) for rounds in np.unique(blocks.rounds[blocks.rounds > 0])]
    variances = [TAUS[:, None] ** 2 + sigmas[..., None, :] / group.rounds for group in groups]  # (..., G, T, S)
    weights = [group.counts / own for group, own in zip(groups, variances, strict=True)]
    total = np.sum(weights, axis=0) if groups else np.zeros((*sigmas.shape[:-1], len(TAUS), len(DEVIATES)))
    total = np.where(total > 0, total, 1.0)  # no block: no information, but no division by 0 either
    centres = np.zeros(total.shape)
    for group, weight in zip(groups, weights, strict=True):
        centres += weight / total * group.means
    for group, own in zip(groups, variances, strict=True):
        squares = group.squares + group.counts * (group.means - centres) ** 2
        logs = logs - 0.5 * group.counts * np.log(own) - 0.5 * squares / own
    return Likelihood(logs - 0.5 * np.log(total), centres, 1 / np.sqrt(total))


@dataclass(frozen=True)
class _Group:
    """The blocks of one number of rounds: as their variance is one, they say no more than this. All (..., G, 1, 1)."""

    rounds: float
    counts: Floats
    means: Floats
    squares: Floats  # sum of squares about the mean


def _blocks_of(blocks: Blocks, rounds: float) -> _Group:
    has = blocks.rounds == rounds
    counts = has.sum(-1)
    means = (has * blocks.logs).sum(-1) / np.maximum(counts, 1)
    squares = (has * (blocks.logs - means[..., None]) ** 2).sum(-1)
    return _Group(rounds, counts[:, None, None].astype(float), means[..., None, None], squares[..., None, None])


def posterior(likelihoods: Likelihood, learns: Bools, prior: Prior) -> Mixture:
    """Of all contrasts, mixed over the scales that those which learn leave likely; `learns` is (G,)."""
    relative = np.exp(likelihoods.logs - likelihoods.logs.max((-2, -1), keepdims=True))
    evidence = np.log(relative.sum(-1) @ prior.of_taus.T)  # (..., G, K)
    log_scales = TEMPER * evidence[..., learns, :].sum(-2) + prior.log_of_scales  # (..., K)
    scales = np.exp(log_scales - log_scales.max(-1, keepdims=True))
    # Given a scale, a contrast's own posterior is likelihood × prior ÷ evidence; mixed over the scales.
    share = scales[..., None, :] * np.exp(evidence.max(-1, keepdims=True) - evidence)
    weights = relative * (share @ prior.of_taus)[..., None]
    return Mixture(weights / weights.sum((-2, -1), keepdims=True), likelihoods.centres, likelihoods.widths)
