"""Simulated log figures of slices, as hopcost's records scatter: restarts, bad minutes, heavy tails, slices in a row.

Slices of 3 %, times a factor of each arm; the baseline's are calmer. All slices of a block share its bad minutes. What
is simulated is the logarithm, and the truth of every arm is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SLICE_NOISE = 0.03  # standard deviation of one slice
ARM_FACTOR = 0.5  # of the logarithm: by how much arms differ in it
BASELINE_FACTOR = 0.7
SERIAL = 0.15  # correlation of a slice with the one before
OUTLIER = 0.10  # standard deviation of a block that is off
SLOW_START = np.log(0.8)


@dataclass(frozen=True)
class Shape:
    """Of a record: experiments of so many arms beside the baseline, so many blocks of so many rounds."""

    blocks: int
    rounds: int
    arms: int
    experiments: int

    @property
    def name(self) -> str:
        """In the kept lines."""
        return f"{self.experiments} x {self.arms} arms, {self.blocks} x {self.rounds}"


@dataclass(frozen=True)
class Scenario:
    """How starts, slices and blocks scatter. `spread` gives each arm's restart spread, for arrays of that shape."""

    spread: Callable[[np.random.Generator, tuple[int, ...]], Floats]
    tails: float = 5.0  # degrees of freedom of a slice's Student noise
    bad_minutes: float = 0.4  # of the logarithm: how blocks differ in noise
    outliers: float = 0.0  # share of blocks
    slow_starts: float = 0.0  # share of starts that are 20 % slower: one worker got all connections


def same(spread: float) -> Callable[[np.random.Generator, tuple[int, ...]], Floats]:
    """All arms restart alike."""
    return lambda _, shape: np.full(shape, spread)


def a_quarter(spread: float) -> Callable[[np.random.Generator, tuple[int, ...]], Floats]:
    """A quarter of the arms have that restart spread, the others and the baseline none."""

    def draw(dice: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        spreads = np.where(dice.random(shape) < 0.25, spread, 0.0)
        spreads[..., -2:] = 0.0
        return spreads

    return draw


def log_normal(median: float, log_sd: float) -> Callable[[np.random.Generator, tuple[int, ...]], Floats]:
    """Each arm its own."""
    return lambda dice, shape: median * np.exp(log_sd * dice.standard_normal(shape))


def slices(dice: np.random.Generator, shape: Shape, scenario: Scenario, records: int) -> Floats:
    """Log figures (records, E, blocks, rounds, arms + 2); the last two are the baseline's two runs."""
    runs = shape.arms + 2
    by_run = (records, shape.experiments, runs)
    noise = SLICE_NOISE * np.exp(ARM_FACTOR * dice.standard_normal(by_run))
    noise[..., -2:] = SLICE_NOISE * BASELINE_FACTOR
    spread = scenario.spread(dice, by_run)
    spread[..., -1] = spread[..., -2]  # the same server
    by_block: tuple[Any, ...] = (records, shape.experiments, shape.blocks)
    minutes = np.exp(scenario.bad_minutes * dice.standard_normal(by_block) - scenario.bad_minutes**2 / 2)
    of_slices = dice.standard_t(scenario.tails, (*by_block, shape.rounds, runs))
    of_slices /= np.sqrt(scenario.tails / (scenario.tails - 2))
    for number in range(1, shape.rounds):
        of_slices[..., number, :] *= np.sqrt(1 - SERIAL**2)
        of_slices[..., number, :] += SERIAL * of_slices[..., number - 1, :]
    of_starts = spread[:, :, None, :] * dice.standard_normal((*by_block, runs))
    if scenario.outliers:
        is_off = dice.random(of_starts.shape) < scenario.outliers
        of_starts += is_off * OUTLIER * dice.standard_normal(of_starts.shape)
    if scenario.slow_starts:
        of_starts += SLOW_START * ((dice.random(of_starts.shape) < scenario.slow_starts) - scenario.slow_starts)
    scale = minutes[..., None, None] * noise[:, :, None, None, :]
    return np.asarray(of_slices * scale + of_starts[:, :, :, None, :])
