"""What a record's blocks say of one contrast: its log-ratio with an interval, its tails, the restart spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Variances
from hopcost.statistics.random_effects.contrast import Contrast, pack
from hopcost.statistics.random_effects.fit import Fit, fit


@dataclass(frozen=True)
class Estimate:
    """The posterior of one contrast's log-ratio mu."""

    blocks: int
    restart_spread: float  # posterior mean of tau: by how much starts differ, as a logarithm (0.03: about 3 %)
    variances: Variances  # of a log-ratio: within one round (moderated), and between starts (restart_spread squared)
    _fit: Fit
    _intervals: dict[float, Interval] = field(default_factory=dict, compare=False)  # by error: verdicts ask again

    def interval(self, error: float) -> Interval:
        """Median and central interval of mu, of two-sided `error`, on the scale of logarithms.

        Without a block it has no ends, and its value is not a number.
        """
        if self.blocks == 0:
            return Interval(value=math.nan, low=None, high=None)
        if error not in self._intervals:
            low, middle, high = (_rounded(float(end)) for end in self._fit.interval(error))
            self._intervals[error] = Interval(value=middle, low=low, high=high)
        return self._intervals[error]

    def probability_below(self, x: float) -> float:
        """P(mu <= x), x a logarithm; of two models the more cautious one; a half if there is no block."""
        return float(self._fit.probability_below(x)) if self.blocks else 0.5


def estimate(contrasts: Sequence[Contrast]) -> list[Estimate]:
    """Of each contrast, learned from all: the contrasts of one figure over a whole record, in any order."""
    if not contrasts:
        return []
    joint = fit(pack(contrasts))
    return [_estimate(joint[row], len(contrast.logs)) for row, contrast in enumerate(contrasts)]


def _estimate(own: Fit, blocks: int) -> Estimate:
    spread = _rounded(float(own.mixture.mean_tau()))
    variances = Variances(within=float(own.variance), between=spread**2)
    return Estimate(blocks, spread, variances, own)


def _rounded(value: float) -> float:
    """To ten decimals: what lies beyond depends on the order in which the machine's linear algebra adds."""
    return round(value, 10)
