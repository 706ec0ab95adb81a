"""The capacity of an arm with its range, out of how many requests missed an objective at each rate, start by start.

Each start has a capacity of its own: ln capacity of the start ~ N(ln capacity, spread²). Curve (`likelihood`), spread
and capacity lie on grids, so that the range covers all of them, and nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.capacity.likelihood import (
    STEP,
    Floats,
    Probe,
    capacities,
    curves,
    log_likelihood,
    prior_of_curves,
)
from hopcost.statistics.questions.capacity.outcome import Outcome

SPREADS = (0.001, *np.geomspace(0.008, 0.2, 6))  # of starts
SPREAD_DEGREES, SPREAD_SCALE = 3.0, 0.02  # half-t: what is likely of it before anything is seen
# Of the model, as a share of the capacity: the curve is only about logistic, and a probe begins with an empty queue.
# Both make the capacity of a server with a limit of 50 service times up to 1 % too high.
MODEL_ERROR = 0.005
SNAP = 0.05  # of the centre of the grid of capacities: a probe's likelihood serves several fits
LEAST_LIKELY = 1e-30  # beside a start's likeliest capacity
NEGLIGIBLE = 12.0  # less of a logarithm: e^-12 of the weight
OPEN = 0.02  # of the highest weight, at an end of the grid: the range goes on beyond it


class CapacityFit(msgspec.Struct, frozen=True):
    """Logarithms: the capacity with its range, and that of each start; how steep the curve is, how unlike starts are.

    The range has no ends if it goes on beyond the rates that were offered.
    """

    log: Interval
    starts: list[float]
    steepness: float
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
    grid = capacities(centre)
    logs = np.stack([_log_likelihood(start, allowed, centre) for start in starts])  # (S, G, C)
    likely = _likely_curves(logs)
    logs, steepnesses = logs[:, likely], curves()[likely, 1]
    weights, spread = _posterior(logs, prior_of_curves()[likely])
    return CapacityFit(
        log=_interval(grid, weights.sum(axis=(0, 1)) @ _kernels(len(grid), (MODEL_ERROR,))[0], error),
        starts=_own_capacities(logs, weights, spread, grid),
        steepness=float(np.exp(weights.sum(axis=(1, 2)) @ np.log(steepnesses))),
        spread=float(weights.sum(axis=(0, 2)) @ SPREADS),
    )


def _centre(probes: Sequence[Probe], allowed: float) -> float | None:
    """Between the lowest rate that misses and the highest that holds; None if all lie on one side."""
    missed = [probe.log_rate for probe in probes if probe.missed > allowed * probe.requests]
    held = [probe.log_rate for probe in probes if probe.missed <= allowed * probe.requests]
    if not missed or not held:
        return None
    middle = (float(np.median(sorted(missed)[:5])) + float(np.median(sorted(held)[-5:]))) / 2
    return round(middle / SNAP) * SNAP


def _log_likelihood(start: Sequence[Probe], allowed: float, centre: float) -> Floats:
    """Of a start by its curve and its capacity, (G, C); 0 without a probe."""
    likelihoods = [log_likelihood(probe, allowed, centre) for probe in start]
    return sum(likelihoods, start=np.zeros((len(curves()), len(capacities(centre)))))


def _likely_curves(logs: Floats) -> NDArray[np.bool_]:
    """The curves that matter, (G,): even with a capacity of its own for each start the others explain much less."""
    alike, unlike = logs.sum(axis=0).max(axis=1), logs.max(axis=2).sum(axis=0)
    prior = prior_of_curves()
    return np.asarray(unlike + prior >= (alike + prior).max() - NEGLIGIBLE)


def _posterior(logs: Floats, prior: Floats) -> tuple[Floats, NDArray[np.float32]]:
    """Weights by curve, spread and capacity, (G, T, C), which sum to 1; of each start its likelihood, (S, G, T, C)."""
    peaks = logs.max(axis=2, keepdims=True)
    relative = np.exp(logs - peaks).astype(np.float32)  # sums of positive numbers: precise enough, and in half the time
    spread = np.moveaxis(relative[:, None] @ _kernels(logs.shape[2], SPREADS), 1, 2)  # a kernel is symmetric
    spread = np.maximum(spread, LEAST_LIKELY)
    joint = np.log(spread).sum(axis=0, dtype=np.float64) + peaks.sum(axis=0)[:, None, :]
    joint += _prior_of_spreads()[None, :, None] + prior[:, None, None]
    weights = np.exp(joint - joint.max())
    return weights / weights.sum(), spread


def _own_capacities(logs: Floats, weights: Floats, spread: NDArray[np.float32], grid: Floats) -> list[float]:
    """That of each start, under the likeliest curve and spread: its likelihood, and what all others leave likely."""
    curve, width = np.unravel_index(int(weights.sum(axis=2).argmax()), weights.shape[:2])
    kernel = _kernels(len(grid), SPREADS)[width]
    own = []
    for of_start, seen in zip(logs[:, curve], spread[:, curve, width], strict=True):
        density = ((weights[curve, width] / seen) @ kernel) * np.exp(of_start - of_start.max())
        own.append(float(density @ grid / density.sum()))
    return own


@cache
def _kernels(points: int, spreads: tuple[float, ...]) -> NDArray[np.float32]:
    """Normal densities by spread, from each point of the grid to each, (T, C, C)."""
    steps = STEP * (np.arange(points)[:, None] - np.arange(points)[None, :])
    edges = [ndtr((steps + side * STEP / 2) / np.array(spreads)[:, None, None]) for side in (1, -1)]
    return np.asarray(edges[0] - edges[1], dtype=np.float32)


@cache
def _prior_of_spreads() -> Floats:
    edges = np.concatenate([[0.0], np.sqrt(np.multiply(SPREADS[1:], SPREADS[:-1]))])
    below = 2 * stdtr(SPREAD_DEGREES, edges / SPREAD_SCALE) - 1
    return np.asarray(np.log(np.diff(below, append=1.0)))


def _interval(grid: Floats, weights: Floats, error: float) -> Interval:
    """Median and central range; a range without ends if the grid cuts it off."""
    below = np.cumsum(weights)  # up to the right edge of each cell
    low, middle, high = (float(np.interp(level, below, grid + STEP / 2)) for level in (error / 2, 0.5, 1 - error / 2))
    if max(weights[0], weights[-1]) > OPEN * weights.max():
        return Interval(value=middle, low=None, high=None)
    return Interval(value=middle, low=low, high=high)
