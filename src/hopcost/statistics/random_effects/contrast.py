"""What the model reads of two arms beside each other: one log-ratio per block, and how rounds scatter within blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Contrast:
    """One figure of two arms, block by block; all logarithms are natural ones."""

    logs: Sequence[float]  # (n,): the block's log-ratio
    rounds: Sequence[float]  # (n,): the rounds behind it
    variance: float | None  # of ONE round's log-ratio within blocks; None if unknown (one round a block)
    degrees: float  # of freedom of that variance: the sum of rounds - 1
    learns: bool = True  # whether it tells how starts of other arms scatter; False for A/A: the same server twice


@dataclass(frozen=True)
class Blocks:
    """The contrasts of a record as arrays, G contrasts of at most n blocks.

    Figures may have further axes in front: many records of one shape, as simulations have them.
    """

    logs: Floats  # (..., G, n)
    rounds: Floats  # (G, n); 0 where a contrast has no such block
    variance: Floats  # (..., G)
    degrees: Floats  # (G,); 0 if the variance is unknown
    learns: Bools  # (G,)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Blocks by contrast, (G,)."""
        return np.asarray((self.rounds > 0).sum(-1), dtype=np.int64)


def pack(contrasts: Sequence[Contrast]) -> Blocks:
    """The contrasts as arrays, filled up with blocks of no rounds."""
    longest = max((len(contrast.logs) for contrast in contrasts), default=0)
    logs, rounds = np.zeros((2, len(contrasts), max(1, longest)))
    variance, degrees = np.zeros((2, len(contrasts)))
    for row, contrast in enumerate(contrasts):
        logs[row, : len(contrast.logs)] = contrast.logs
        rounds[row, : len(contrast.logs)] = contrast.rounds
        if contrast.variance is not None:
            variance[row], degrees[row] = contrast.variance, contrast.degrees
    return Blocks(logs, rounds, variance, degrees, np.array([contrast.learns for contrast in contrasts], dtype=bool))
