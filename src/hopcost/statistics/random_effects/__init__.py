"""Intervals out of few starts: a random-effects model whose restart spread is learned from all arms of a record.

`contrast.py` is what goes in, `moderation.py` steadies the variances of rounds, `model.py` is the posterior on a grid,
`student.py` the interval beside which few contrasts are put, `fit.py` joins them, `estimate.py` is what comes out.
docs/explain/intervals.md says it in plain words.
"""

from hopcost.statistics.random_effects.contrast import Contrast
from hopcost.statistics.random_effects.estimate import Estimate, estimate

__all__ = ["Contrast", "Estimate", "estimate"]
