"""What is known of the spread between records of one stretch: a prior, and what the records say.

The spread's square has a scaled inverse chi-square prior (Gelman et al. 2013, Bayesian Data Analysis, 3.2). With it
and flat means, everything that is asked of a stretch has Student's distribution, in a history of two records too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

# Starts of one arm differ by 1 to 4 % on one core and by 2 to 12 % with several workers (explain/intervals.md), so the
# means of half a dozen of them by 0.4 to 5 %.
USUAL_SPREAD = 0.02
PRIOR_RECORDS = 2.0  # the prior counts as so many


class Spread(msgspec.Struct, frozen=True):
    """A variance of log-ratios, and the degrees of freedom that it is known with."""

    variance: float
    degrees: float

    @property
    def sum_of_squares(self) -> float:
        """What these degrees of freedom add up to."""
        return self.variance * self.degrees

    def updated(self, squares: float, degrees: float) -> Spread:
        """With a sum of squares of so many degrees of freedom."""
        together = self.degrees + degrees
        return Spread((self.sum_of_squares + squares) / together, together)


def prior(standard_errors: Sequence[float | None]) -> Spread:
    """Before the records are looked at: what they vary within themselves, and what runs usually differ by beyond that.

    `standard_errors` are of each record's log-ratio by its own starts; None is unknown, and counts as nothing.
    """
    return Spread(USUAL_SPREAD**2 + typical_variance(standard_errors), PRIOR_RECORDS)


def typical_variance(standard_errors: Sequence[float | None]) -> float:
    """The median square of the known standard errors; 0 if none is known."""
    known = [error**2 for error in standard_errors if error is not None and math.isfinite(error)]
    return float(np.median(known)) if known else 0.0
