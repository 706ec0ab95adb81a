"""What a record's blocks say of one contrast: its log-ratio with an interval, its tails, the restart spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision import Variances
from hopcost.statistics.random_effects.contrast import Contrast, Floats, pack
from hopcost.statistics.random_effects.fit import Fit, fit
from hopcost.statistics.random_effects.model import Mixture
from hopcost.statistics.random_effects.student import Student


@dataclass(frozen=True)
class Estimate:
    """The posterior of one contrast's log-ratio mu."""

    blocks: int
    restart_spread: float  # posterior mean of tau: by how much starts differ, as a logarithm (0.03: about 3 %)
    variances: Variances  # of a log-ratio: within one round (moderated), and between starts (restart_spread squared)
    _mixture: Mixture
    _student: Student | None  # beside the model if the wider of both counts

    def interval(self, error: float) -> Interval:
        """Median and central interval of mu, of two-sided `error`, on the scale of logarithms.

        Without a block it has no ends, and its value is not a number.
        """
        if self.blocks == 0:
            return Interval(value=math.nan, low=None, high=None)
        probabilities = np.array([error / 2, 0.5, 1 - error / 2])
        low, middle, high = self._mixture.quantiles(probabilities)
        if self._student is not None:
            ends: Floats = self._student.quantiles(probabilities)
            low, high = min(low, ends[0]), max(high, ends[-1])
        return Interval(value=float(middle), low=float(low), high=float(high))

    def probability_below(self, x: float) -> float:
        """P(mu <= x), x a logarithm; of two models the more cautious one; a half if there is no block."""
        if self.blocks == 0:
            return 0.5
        model = float(self._mixture.probability_below(x))
        if self._student is None:
            return model
        return sorted([model, float(self._student.probability_below(x)), 0.5])[1]


def estimate(contrasts: Sequence[Contrast]) -> list[Estimate]:
    """Of each contrast, learned from all: the contrasts of one figure over a whole record, in any order."""
    if not contrasts:
        return []
    joint = fit(pack(contrasts))
    return [_estimate(joint, row, len(contrast.logs)) for row, contrast in enumerate(contrasts)]


def _estimate(joint: Fit, row: int, blocks: int) -> Estimate:
    mixture = joint.mixture[row]
    spread = float(mixture.mean_tau())
    variances = Variances(within=float(joint.variance[row]), between=spread**2)
    return Estimate(blocks, spread, variances, mixture, joint.student[row] if joint.is_checked[row] else None)
