"""Variances of rounds, steadied by those of the other contrasts: with few rounds each alone is a lottery.

Empirical Bayes on inverse-gamma variances (Smyth 2004, Statistical Applications in Genetics and Molecular Biology 3(1),
article 3; `squeezeVar` of limma).
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, polygamma

from hopcost.statistics.random_effects.contrast import Blocks, Floats

# A record of few arms says little about how much arms differ: count as many contrasts more, of a known difference.
PSEUDO_CONTRASTS = 4
PSEUDO_VARIANCE = 0.4  # of the logarithm of their true variances
MIN_VARIANCE = 0.1  # and what data may lower it to
MAX_PRIOR_DEGREES = 20.0
# One round a block: nothing tells rounds from starts. Slices scatter by about 3 %.
UNKNOWN_VARIANCE, UNKNOWN_DEGREES = 0.03**2, 2.0
SMALLEST = 1e-12  # rounds that are all equal have variance 0, which has no logarithm; no slice repeats to 1e-6


def moderate(blocks: Blocks) -> tuple[Floats, Floats]:
    """Variance of one round's log-ratio, and its degrees of freedom, both (..., G), moderated over the contrasts."""
    known = blocks.degrees > 0
    variance = np.full(blocks.variance.shape, UNKNOWN_VARIANCE)
    degrees = np.full(blocks.variance.shape, UNKNOWN_DEGREES)
    if known.any():
        variance[..., known], degrees[..., known] = squeeze(blocks.variance[..., known], blocks.degrees[known])
    return variance, degrees


def squeeze(variance: Floats, degrees: Floats) -> tuple[Floats, Floats]:
    """Smyth's equations 8 to 11: variances (..., G) of those degrees of freedom (G,) drawn towards a common one."""
    raw = np.maximum(variance, SMALLEST)
    half = degrees / 2
    logs = np.log(raw) - digamma(half) + np.log(half)
    middle = logs.mean(-1, keepdims=True)
    contrasts = raw.shape[-1]
    by_chance = (contrasts - 1) / contrasts * polygamma(1, half).sum()
    beyond_chance = ((logs - middle) ** 2).sum(-1, keepdims=True) - by_chance
    spread = (beyond_chance + PSEUDO_CONTRASTS * PSEUDO_VARIANCE) / (contrasts - 1 + PSEUDO_CONTRASTS)
    prior_degrees = np.minimum(2 * inverse_trigamma(np.maximum(spread, MIN_VARIANCE)), MAX_PRIOR_DEGREES)
    prior = np.exp(middle + digamma(prior_degrees / 2) - np.log(prior_degrees / 2))
    return (prior_degrees * prior + degrees * raw) / (prior_degrees + degrees), prior_degrees + degrees


def inverse_trigamma(values: Floats) -> Floats:
    """The y whose trigamma is the value (positive), by Newton's method on 1 / trigamma (Smyth 2004, appendix)."""
    root = 0.5 + 1 / values
    for _ in range(60):
        trigamma = polygamma(1, root)
        step = trigamma * (1 - trigamma / values) / polygamma(2, root)
        root = root + step
        if np.max(np.abs(step / root)) < 1e-8:
            break
    return np.asarray(root)
