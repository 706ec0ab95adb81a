"""The same interval for p99 of response times, whose noise comes in clusters: stalls of the machine.

Requests come at equal chances over a slice; each takes a log-normal time, and one that comes during a stall waits for
its end as well. Stalls are Poisson, and frequent in some blocks and rare in others, for all arms alike. What differs is
chance alone: the truth of every arm is 0.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from hopcost.plan.method import METHOD
from hopcost.statistics import intervals
from hopcost.statistics.random_effects.contrast import Blocks
from hopcost.statistics.random_effects.fit import fit
from tools.truth.lines import Figures
from tools.truth.sections.coverage.cell import contrasts_of, seed_of
from tools.truth.sections.coverage.noise import Floats, Shape

QUANTILE = 0.99
REQUESTS, SLICE_MS = 2000, 2000.0  # of one slice
SERVICE_MS, SERVICE_LOG_SD = 0.3, 0.5
BAD_MINUTES = 1.0  # of the logarithm: how blocks differ in their rate of stalls
AT_ONCE = 1_000_000  # requests in an array


@dataclass(frozen=True)
class Stalls:
    """Of a machine: how many a second, how long on average (exponential); and how starts of an arm differ."""

    per_s: float
    mean_ms: float
    restart_spread: float = 0.0


def cell(shape: Shape, name: str, stalls: Stalls, experiments: int) -> Figures:
    """Experiments, those whose intervals of p99 all hold the truth, and the median half-width as a factor."""
    dice = np.random.default_rng([METHOD.number, *seed_of(shape), zlib.crc32(name.encode())])
    at_once = max(1, AT_ONCE // (REQUESTS * shape.blocks * shape.rounds * (shape.arms + 2)))
    error = METHOD.confidence_error / shape.arms
    holds = 0
    widths: list[float] = []
    for first in range(0, experiments, at_once):
        fitted = fit(packed(times(dice, shape, stalls, min(at_once, experiments - first))))
        below = fitted.probability_below(0.0)[:, :-1]
        holds += int(((below >= error / 2) & (below <= 1 - error / 2)).all(-1).sum())
        low, _, high = fitted.interval(error)
        widths += ((high - low) / 2)[:, :-1].ravel().tolist()
    return {"experiments": experiments, "holds": holds, "factor": round(intervals.exp(float(np.median(widths))), 4)}


def times(dice: np.random.Generator, shape: Shape, stalls: Stalls, records: int) -> Floats:
    """Response times in ms, (records, blocks, rounds, arms + 2, requests); the last two are the baseline's runs."""
    by_slice = (records, shape.blocks, shape.rounds, shape.arms + 2)
    by_start = (records, shape.blocks, 1, shape.arms + 2)
    response = SERVICE_MS * np.exp(SERVICE_LOG_SD * dice.standard_normal((*by_slice, REQUESTS)))
    response *= np.exp(stalls.restart_spread * dice.standard_normal(by_start))[..., None]
    arrivals = dice.random(response.shape) * SLICE_MS
    minutes = np.exp(BAD_MINUTES * dice.standard_normal((records, shape.blocks, 1, 1)) - BAD_MINUTES**2 / 2)
    counts = dice.poisson(np.broadcast_to(stalls.per_s * SLICE_MS / 1000 * minutes, by_slice))
    for number in range(int(counts.max())):
        has = np.nonzero(counts > number)
        begins = dice.random(len(has[0])) * SLICE_MS
        lengths = stalls.mean_ms * dice.exponential(size=len(begins))
        waits = (begins + lengths)[:, None] - arrivals[has]
        response[has] += np.where((waits > 0) & (waits < lengths[:, None]), waits, 0.0)
    return np.asarray(response)


def packed(response: Floats) -> Blocks:
    """ln(p99 of an arm ÷ p99 of the baseline): by slice, and by block from all slices of it together.

    The baseline's p99 is the geometric mean of its two runs. p99 scatters by factors; against the arithmetic mean of
    two such figures the logarithm would be biased by a quarter of its variance.
    """
    records, blocks, rounds, runs, requests = response.shape
    merged = np.moveaxis(response, 3, 2).reshape(records, blocks, runs, rounds * requests)
    of_rounds, of_blocks = (_log_ratios(np.quantile(of, QUANTILE, axis=-1)) for of in (response, merged))
    return contrasts_of(of_rounds[:, None], of_blocks[:, None])


def _log_ratios(quantiles: Floats) -> Floats:
    logs = np.log(quantiles)
    baseline = logs[..., -2:].mean(-1, keepdims=True)
    return np.concatenate([logs[..., :-2] - baseline, logs[..., -1:] - logs[..., -2:-1]], axis=-1)
