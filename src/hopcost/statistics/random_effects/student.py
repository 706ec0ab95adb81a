"""Student's t of the weighted mean over blocks: it assumes nothing of restarts, and is wide if blocks are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from hopcost.statistics.random_effects.contrast import Blocks, Floats


@dataclass(frozen=True)
class Student:
    """Mean of the log-ratios weighted by rounds, its standard error, and its degrees of freedom; all (..., G)."""

    centres: Floats
    errors: Floats
    degrees: Floats

    def probability_below(self, x: float) -> Floats:
        """P(mu <= x), (...); a half if a single block gives no spread."""
        deviates = (x - self.centres) / np.where(self.errors > 0, self.errors, 1e-15)
        return np.asarray(np.where(self.degrees > 0, stdtr(np.maximum(self.degrees, 1.0), deviates), 0.5))

    def quantiles(self, probabilities: Floats) -> Floats:
        """For several probabilities (P,), (..., P); without meaning for a single block."""
        deviates = stdtrit(np.maximum(self.degrees, 1.0)[..., None], probabilities)
        return np.asarray(self.centres[..., None] + self.errors[..., None] * deviates)

    def __getitem__(self, row: int) -> Student:
        """That of one contrast."""
        return Student(self.centres[row], self.errors[row], self.degrees[row])


def student(blocks: Blocks) -> Student:
    """Weighted least squares (Aitken 1936): a block's weight is its rounds, their common factor is estimated."""
    total = blocks.rounds.sum(-1)
    shares = blocks.rounds / np.where(total > 0, total, 1.0)[:, None]
    centres = (shares * blocks.logs).sum(-1)
    degrees = np.broadcast_to(blocks.counts - 1.0, centres.shape)
    variance = (shares * (blocks.logs - centres[..., None]) ** 2).sum(-1) / np.maximum(degrees, 1.0)
    return Student(centres, np.sqrt(variance), degrees)


def scatter(blocks: Blocks) -> Floats:
    """Standard deviation of the log-ratios over blocks, (..., G); 0 with fewer than two."""
    counts = np.maximum(blocks.counts, 1)
    is_there = blocks.rounds > 0
    middle = (blocks.logs * is_there).sum(-1) / counts
    squares = (is_there * (blocks.logs - middle[..., None]) ** 2).sum(-1)
    return np.asarray(np.sqrt(squares / np.maximum(counts - 1, 1)))
