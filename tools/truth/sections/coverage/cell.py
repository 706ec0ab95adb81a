"""One cell of the grid: how many simulated experiments have intervals that all hold the truth."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from hopcost.plan.method import METHOD
from hopcost.statistics.random_effects.contrast import Blocks
from hopcost.statistics.random_effects.fit import fit
from tools.truth.lines import Figures
from tools.truth.sections.coverage.noise import Floats, Scenario, Shape, slices

AT_ONCE = 1500  # contrasts in an array: the grid of the model makes 189 numbers of each
SHOWN = 120  # contrasts of which the widths are taken


def cell(shape: Shape, name: str, scenario: Scenario, experiments: int) -> Figures:
    """Experiments; those whose intervals all hold the truth, or one lies above, or below; the median half-width.

    The seed is the method's number.
    """
    dice = np.random.default_rng([METHOD.number, *seed_of(shape), zlib.crc32(name.encode())])
    records = -(-experiments // shape.experiments)
    at_once = max(1, AT_ONCE // (shape.experiments * (shape.arms + 1)))
    error = METHOD.confidence_error / shape.arms
    holds = above = beneath = 0
    widths: list[float] = []
    for first in range(0, records, at_once):
        drawn = slices(dice, shape, scenario, min(at_once, records - first))
        fitted = fit(packed(drawn))
        below = fitted.probability_below(0.0).reshape(-1, shape.experiments, shape.arms + 1)[..., :-1]
        # 0 lies in the central interval if and only if neither tail up to it is below half the error.
        is_above, is_beneath = (below < error / 2).any(-1), (below > 1 - error / 2).any(-1)
        holds += int((~is_above & ~is_beneath).sum())
        above += int(is_above.sum())
        beneath += int(is_beneath.sum())
        if not widths:
            low, _, high = fit(packed(drawn[: -(-SHOWN // (shape.experiments * shape.arms))])).interval(error)
            widths += ((high - low) / 2).reshape(-1, shape.arms + 1)[:, :-1].ravel().tolist()
    return {
        "experiments": records * shape.experiments,
        "holds": holds,
        "above": above,
        "below": beneath,
        "width": round(float(np.median(widths)), 5),
    }


def seed_of(shape: Shape) -> list[int]:
    """Of each cell another one, and the same whatever else is run."""
    return [shape.blocks, shape.rounds, shape.arms, shape.experiments]


def packed(drawn: Floats) -> Blocks:
    """The contrasts of each record: of every experiment its arms, then its A/A arm, which does not teach."""
    baseline = np.log((np.exp(drawn[..., -2]) + np.exp(drawn[..., -1])) / 2)
    logs = np.concatenate([drawn[..., :-2] - baseline[..., None], drawn[..., -1:] - drawn[..., -2:-1]], axis=-1)
    return contrasts_of(logs, logs.mean(3))


def contrasts_of(of_rounds: Floats, of_blocks: Floats) -> Blocks:
    """Log-ratios by round (records, E, blocks, rounds, arms + 1) and by block, without the axis of rounds."""
    records, experiments, blocks, rounds, arms = of_rounds.shape
    contrasts = experiments * arms
    variance = of_rounds.var(axis=3, ddof=1).mean(2) if rounds > 1 else np.zeros((records, experiments, arms))
    learns: NDArray[np.bool_] = np.arange(contrasts) % arms < arms - 1
    return Blocks(
        logs=np.moveaxis(of_blocks, -1, 2).reshape(records, contrasts, blocks),
        rounds=np.full((contrasts, blocks), float(rounds)),
        variance=variance.reshape(records, contrasts),
        degrees=np.full(contrasts, float(blocks * (rounds - 1))),
        learns=learns,
    )
