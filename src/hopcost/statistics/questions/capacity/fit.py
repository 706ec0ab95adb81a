"""The capacity of an arm with its range, out of how many requests missed an objective at each rate, start by start.

Near the capacity the share that misses grows with the rate like a logistic curve (docs/explain/capacity.md):

    logit(share) = logit(share allowed) + steepness × (ln rate − ln capacity of the start)
    ln capacity of the start ~ N(ln capacity, spread²)

A slow moment makes many requests slow together, so counts scatter more than those of a binomial: the likelihood is
that of a binomial to the power of 1 ÷ dispersion (quasi-likelihood; McCullagh and Nelder 1989, Generalized Linear
Models, chapter 9). Its equations are linear in the counts, so a share that is right on the mean gives the right
capacity, although most probes have fewer slow requests than the mean. Grids hold everything that is unknown but the
dispersion, and nothing is drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, stdtr, stdtrit

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.outcome import Outcome, logit

Floats = NDArray[np.float64]

STEEPNESSES = np.geomspace(3.0, 400.0, 14)  # that of M/D/1 with p99 at 5, 20 and 50 service times: 6, 34, 95
USUAL_STEEPNESS, LOG_SD = 30.0, 1.0  # what is likely of it before anything is seen
CLIP = math.log(30)  # of the logit's distance: farther away the curve is not logistic, and says only on which side
WINDOW = math.log(6)  # within which probes tell the dispersion
SPREADS = np.concatenate([[0.001], np.geomspace(0.006, 0.2, 8)])  # of starts
SPREAD_DEGREES, SPREAD_SCALE = 2.0, 0.008  # half-t
REACH, STEP = 0.3, 0.003  # of the grid of logarithms of capacities, around the rates that matter
FIRST_DISPERSION, ROUNDS = 10.0, 3


class Probe(msgspec.Struct, frozen=True):
    """A rate, the requests that missed one objective, and all that count."""

    log_rate: float
    missed: int
    requests: int


class CapacityFit(msgspec.Struct, frozen=True):
    """Logarithms: the capacity with its range, and that of each start; how steep, how bursty, how unlike starts are."""

    log: Interval
    starts: list[float]
    steepness: float
    dispersion: float
    spread: float


def probes_of(start: Sequence[Outcome], place: int) -> list[Probe]:
    """What the outcomes of a start say of one objective."""
    counts = [(outcome, outcome.counts[place]) for outcome in start]
    return [Probe(outcome.log_rate, count.missed, count.requests) for outcome, count in counts if count.requests]


class KnownSoFar(msgspec.Struct, frozen=True):
    """Of an arm, in requests per second: the highest rate that held, the lowest that missed, and its capacity."""

    held_per_s: float | None
    missed_per_s: float | None
    capacity_per_s: float | None


class Binding(msgspec.Struct, frozen=True):
    """The fit of the objective that a growing rate misses first, and that objective's place among the counts."""

    place: int
    fit: CapacityFit


def fit_objectives(starts: Sequence[Sequence[Outcome]], error: float) -> Binding | None:
    """The objective that ends first, with its capacity; None unless rates hold and miss some objective.

    What the generator limited says nothing of the arm: it must not be here.
    """
    outcomes = [outcome for start in starts for outcome in start]
    places = range(len(outcomes[0].counts)) if outcomes else range(0)
    fits = {
        place: fit_starts([probes_of(start, place) for start in starts], outcomes[0].counts[place].allowed, error)
        for place in places
        if any(outcome.counts[place].misses for outcome in outcomes)
    }
    known = {place: fit for place, fit in fits.items() if fit is not None}
    if not known:
        return None
    first = min(known, key=lambda place: known[place].log.value)
    return Binding(first, known[first])


def fit_starts(starts: Sequence[Sequence[Probe]], allowed: float, error: float) -> CapacityFit | None:
    """The capacity of an arm whose starts had these probes; None unless rates both hold and miss."""
    probes = [probe for start in starts for probe in start]
    centre = _centre(probes, allowed)
    if centre is None:
        return None
    grid = centre + np.arange(-REACH, REACH + STEP / 2, STEP)
    logs = np.stack([_log_likelihood(start, allowed, grid) for start in starts])  # (S, B, C)
    dispersion, degrees = FIRST_DISPERSION, 1
    for _ in range(ROUNDS):
        _, means = _posterior(logs / dispersion)
        dispersion, degrees = _dispersion(starts, allowed, grid, means)
    weights, means = _posterior(logs / dispersion)
    of_capacity = weights.sum(axis=(0, 1))
    own = [float(of_start.sum(axis=0) @ grid) for of_start in means]
    return CapacityFit(
        log=_interval(grid, of_capacity, error, degrees),
        starts=own,
        steepness=float(np.exp(weights.sum(axis=(1, 2)) @ np.log(STEEPNESSES))),
        dispersion=dispersion,
        spread=float(weights.sum(axis=(0, 2)) @ SPREADS),
    )


def _centre(probes: Sequence[Probe], allowed: float) -> float | None:
    """Between the lowest rate that misses and the highest that holds; None if all lie on one side."""
    missed = [probe.log_rate for probe in probes if probe.missed > allowed * probe.requests]
    held = [probe.log_rate for probe in probes if probe.missed <= allowed * probe.requests]
    if not missed or not held:
        return None
    return (float(np.median(sorted(missed)[:5])) + float(np.median(sorted(held)[-5:]))) / 2


def _log_likelihood(start: Sequence[Probe], allowed: float, grid: Floats) -> Floats:
    """Of a start by steepness and its capacity, (B, C), of a binomial; 0 without a probe."""
    total = np.zeros((len(STEEPNESSES), len(grid)))
    most = float(expit(logit(allowed) + CLIP))
    for probe in start:
        shares = _shares(probe, allowed, grid)
        missed = min(float(probe.missed), most * probe.requests)
        total += missed * np.log(shares) + (probe.requests - missed) * np.log1p(-shares)
    return total


def _shares(probe: Probe, allowed: float, grid: Floats) -> Floats:
    line = np.clip(STEEPNESSES[:, None] * (probe.log_rate - grid[None, :]), -CLIP, CLIP)
    return np.asarray(expit(logit(allowed) + line))


def _posterior(logs: Floats) -> tuple[Floats, Floats]:
    """Weights by steepness, spread and capacity (B, T, C), and of each start's capacity (S, B, C); each sums to 1."""
    peaks = logs.max(axis=2, keepdims=True)
    relative = np.exp(logs - peaks)  # (S, B, C)
    kernels = _kernels(logs.shape[2])
    spread = np.moveaxis(relative[:, None] @ kernels, 1, 2)  # (S, B, T, C); a kernel is symmetric
    joint = np.log(np.maximum(spread, 1e-300)).sum(axis=0) + peaks.sum(axis=0)[:, None, :]
    joint += _prior_of_spreads()[None, :, None] + _prior_of_steepness()[:, None, None]
    weights = np.exp(joint - joint.max())
    weights /= weights.sum()
    # A start's own capacity: its likelihood, and what all others leave likely of the capacity.
    own = []
    for number in range(len(logs)):
        others = weights / np.maximum(spread[number], 1e-300)
        prior = (np.swapaxes(others, 0, 1) @ kernels).sum(axis=0)
        start = prior * relative[number]
        own.append(start / start.sum())
    return weights, np.stack(own)


@cache
def _kernels(points: int) -> Floats:
    """Normal densities by spread, from each point of the grid to each, (T, C, C)."""
    steps = STEP * (np.arange(points)[:, None] - np.arange(points)[None, :])
    edges = [ndtr((steps + side * STEP / 2) / SPREADS[:, None, None]) for side in (1, -1)]
    return np.asarray(edges[0] - edges[1])


@cache
def _prior_of_spreads() -> Floats:
    edges = np.concatenate([[0.0], np.sqrt(SPREADS[1:] * SPREADS[:-1])])
    below = 2 * stdtr(SPREAD_DEGREES, edges / SPREAD_SCALE) - 1
    return np.asarray(np.log(np.diff(below, append=1.0)))


@cache
def _prior_of_steepness() -> Floats:
    return np.asarray(-0.5 * (np.log(STEEPNESSES / USUAL_STEEPNESS) / LOG_SD) ** 2)


def _dispersion(starts: Sequence[Sequence[Probe]], allowed: float, grid: Floats, means: Floats) -> tuple[float, int]:
    """Squares about the fitted counts ÷ their binomial variances, over the probes near the capacity; at least 1.

    Its degrees of freedom are those of the probes, and no more than bursts were seen.
    """
    squares, variances, number = 0.0, 0.0, 0
    for start, own in zip(starts, means, strict=True):
        for probe in start:
            share = float((_shares(probe, allowed, grid) * own).sum())
            if abs(logit(share) - logit(allowed)) <= WINDOW:
                squares += (probe.missed - probe.requests * share) ** 2
                variances += probe.requests * share * (1 - share)
                number += 1
    if not number:
        return FIRST_DISPERSION, 1
    dispersion = max(1.0, squares / variances * number / max(1, number - 2))
    return dispersion, max(1, min(number - 2, round(variances / dispersion)))


def _interval(grid: Floats, weights: Floats, error: float, degrees: int) -> Interval:
    """Median and central range; wider by Student's t, since the dispersion is estimated."""
    below = np.cumsum(weights)
    wider = float(stdtrit(degrees, 1 - error / 2) / stdtrit(1e6, 1 - error / 2))
    low, middle, high = (float(np.interp(level, below, grid)) for level in (error / 2, 0.5, 1 - error / 2))
    return Interval(value=middle, low=middle - wider * (middle - low), high=middle + wider * (high - middle))
