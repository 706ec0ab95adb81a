"""How likely a probe's count is, by the curve and the capacity that an arm may have. Pure.

Near the capacity the share that misses grows with the rate like a logistic curve (docs/explain/capacity.md):

    logit(share) = logit(share allowed) + steepness × (ln rate − ln capacity)

Slow requests come in bursts: behind a queue that has grown long all are slow. A probe has a Poisson number of bursts of
exponential sizes, which grow with the square root of the share: Tweedie's distribution of power 3/2, in closed form
(Jørgensen 1987, Journal of the Royal Statistical Society B 49, 127-162). A burst of M/D/1 with p99 at 20 service times
is 65 requests, and a whole run of 2 min has about ten of them. So few hardly tell how large bursts are; but a steep
curve belongs to a queue that drains slowly (`queue_burst`).
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, i1e

from hopcost.statistics.questions.capacity.outcome import logit

Floats = NDArray[np.float64]

STEEPNESSES = np.geomspace(4.0, 400.0, 9)  # that of M/D/1 with p99 at 5, 20 and 50 service times: 8, 38, 98
USUAL_STEEPNESS, STEEPNESS_SD = 40.0, 1.2  # what is likely before anything is seen; the second of its logarithm
CLIP = math.log(30)  # of the logit's distance: farther away the curve is not logistic, and says only on which side
BURSTS = np.geomspace(1 / 8, 16.0, 6)  # as multiples of a queue's
BURST_SD = 1.0  # of their logarithm, before anything is seen
LEAST_BURST = 0.5  # requests: counts of no bursts, whose variance is their mean
MOST_BURST = 1 / 6  # of a probe's requests, about: it ends amid a longer burst
BURST_POWER = 0.5  # of the share: a queue at more load drains more slowly
REACH, STEP = 0.4, 0.004  # of the grid of logarithms of capacities, around the rates that matter
STALLED = 0.02  # of the probes: the machine stalled in them, and any count is as likely as another


class Probe(msgspec.Struct, frozen=True):
    """A rate, the requests that missed one objective, and all that count."""

    log_rate: float
    missed: int
    requests: int


@cache
def curves() -> Floats:
    """The multiple of a queue's burst and the steepness of each curve, (G, 2)."""
    return np.stack(np.meshgrid(BURSTS, STEEPNESSES, indexing="ij"), axis=-1).reshape(-1, 2)


@cache
def prior_of_curves() -> Floats:
    """What is likely of each curve before anything is seen: logarithms, (G,)."""
    multiples, steepnesses = np.log(curves()).T
    of_steepness = (steepnesses - math.log(USUAL_STEEPNESS)) / STEEPNESS_SD
    return np.asarray(-0.5 * (of_steepness**2 + (multiples / BURST_SD) ** 2))


def capacities(centre: float) -> Floats:
    """The grid of capacities around one, all as logarithms, (C,)."""
    return np.asarray(centre + np.arange(-REACH, REACH + STEP / 2, STEP))


@lru_cache(maxsize=256)  # of the probes of a search, which is fitted after each
def log_likelihood(probe: Probe, allowed: float, centre: float) -> Floats:
    """Of a probe's count, by curve and capacity, (G, C)."""
    multiples, steepnesses = curves().T
    line = np.clip(steepnesses[:, None] * (probe.log_rate - capacities(centre)), -CLIP, CLIP)
    mean = probe.requests * expit(logit(allowed) + line)
    bursts = np.maximum(LEAST_BURST, multiples * queue_burst(steepnesses, allowed, probe.requests))
    missed = min(float(probe.missed), float(expit(logit(allowed) + CLIP)) * probe.requests)
    known = log_density(missed, mean, bursts[:, None] * np.exp(BURST_POWER * line))
    return np.logaddexp(known, math.log(STALLED / probe.requests))


def queue_burst(steepness: Floats, allowed: float, requests: int) -> Floats:
    """Slow requests of a burst at the capacity, about, in a probe with so many requests.

    At a load near 1 a wait beyond w service times has the probability exp(-2 (1 - load) w) (Kingman 1962, Journal of
    the Royal Statistical Society B 24, 383-392). So the load of a given share is 1 - ln(1 / share) / steepness, and a
    long queue takes about (1 - load)^-2 requests to drain.
    """
    whole = (steepness / math.log(1 / allowed)) ** 2
    return np.asarray(1 / (1 / whole + 1 / (MOST_BURST * requests)))


def log_density(count: float, mean: Floats, size: Floats) -> Floats:
    """Of a count that a Poisson number of bursts makes, which have exponential sizes of this mean.

    With m = mean ÷ size bursts it is exp(-m) at 0, and exp(-m - count/size) √(m / (count size)) I₁(2√(m count/size))
    above (Jørgensen 1987). `i1e` is I₁ without its exponential growth.
    """
    bursts = mean / size
    if count == 0:
        return np.asarray(-bursts)
    roots = np.sqrt(bursts), np.sqrt(count / size)
    product = roots[0] * roots[1]
    return np.asarray(np.log(product * i1e(2 * product) / count) - (roots[0] - roots[1]) ** 2)
