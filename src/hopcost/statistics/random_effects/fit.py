"""Which prior a contrast gets, and when Student's t stands beside the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopcost.statistics.random_effects.contrast import Blocks, Bools, Floats
from hopcost.statistics.random_effects.model import FEW, LEARNED, TAUS, Mixture, likelihood, posterior
from hopcost.statistics.random_effects.moderation import moderate
from hopcost.statistics.random_effects.student import Student, scatter, student

MIN_CONTRASTS = 4  # with fewer there is nothing to learn across arms
MIN_BLOCKS_OF_FEW = 4  # from so many on Student's t is narrow enough to be the check
MAX_BLOCKS = 100  # with more they know tau better than the grid's steps; Student's t is as narrow as the model then


@dataclass(frozen=True)
class Fit:
    """The posteriors of all contrasts of a record, G of them; or, without that axis, of one."""

    mixture: Mixture  # (..., G, T, S)
    student: Student  # (..., G)
    is_checked: Bools  # (..., G): whether the wider of both counts
    variance: Floats  # (..., G): of one round's log-ratio, moderated

    def probability_below(self, x: float) -> Floats:
        """P(mu <= x), (..., G); of two answers the one nearer to a half: the more cautious in either tail."""
        model, other = self.mixture.probability_below(x), self.student.probability_below(x)
        cautious = np.clip(0.5, np.minimum(model, other), np.maximum(model, other))
        return np.where(self.is_checked, cautious, model)

    def interval(self, error: float) -> tuple[Floats, Floats, Floats]:
        """Low end, median and high end, each (..., G), of two-sided `error`; of two intervals all that either holds."""
        probabilities = np.array([error / 2, 0.5, 1 - error / 2])
        model, other = self.mixture.quantiles(probabilities), self.student.quantiles(probabilities)
        low = np.where(self.is_checked, np.minimum(model[..., 0], other[..., 0]), model[..., 0])
        high = np.where(self.is_checked, np.maximum(model[..., 2], other[..., 2]), model[..., 2])
        return low, model[..., 1], high

    def __getitem__(self, row: int) -> Fit:
        """That of one contrast."""
        return Fit(self.mixture[row], self.student[row], self.is_checked[row], self.variance[row])


def fit(blocks: Blocks) -> Fit:
    """All contrasts together.

    Fewer than four that learn: those of at most three blocks get the heavier prior, the others the wider of the model
    and Student's t. So does a contrast that the grid is too small or too coarse for: the model would call it too
    precise.
    """
    variance, degrees = moderate(blocks)
    likelihoods = likelihood(blocks, variance, degrees)
    learns = blocks.learns & (blocks.counts > 1)
    mixture = posterior(likelihoods, learns, LEARNED)
    is_beyond = (scatter(blocks) > TAUS[-1]) | (blocks.counts > MAX_BLOCKS)
    if np.count_nonzero(learns) >= MIN_CONTRASTS:
        return Fit(mixture, student(blocks), is_beyond, variance)
    has_few_blocks = blocks.counts < MIN_BLOCKS_OF_FEW
    heavier = posterior(likelihoods, learns, FEW)
    weights = np.where(has_few_blocks[:, None, None], heavier.weights, mixture.weights)
    chosen = Mixture(weights, mixture.centres, mixture.widths)
    return Fit(chosen, student(blocks), is_beyond | ~has_few_blocks, variance)
