"""The log-ratio of an arm to another arm in a block: over all its slices, or of each round.

The copied arm runs twice in a block. Its figure is the mean of both runs, unless the other arm is its copy. In a
log-ratio of quantiles it is the geometric mean: their logarithm against an arithmetic mean is off by a quarter of its
variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.statistics.figures import BlockFigure, load_at

Parts = Mapping[str, ArmBlock]  # the parts of one block, by arm


def _arithmetic(first: float, second: float) -> float:
    return (first + second) / 2


def _geometric(first: float, second: float) -> float:
    return math.sqrt(first * second)


def log_ratio(
    parts: Parts, experiment: PlannedExperiment, name: str, reference: str, figure: BlockFigure
) -> float | None:
    """ln(figure of the arm ÷ figure of the reference); None if one of them has no figure."""
    mean = _geometric if figure.scatters_by_factors else _arithmetic
    both = figures_of_both(parts, experiment, name, reference, figure, mean)
    return None if both is None else math.log(both[0]) - math.log(both[1])


def figures_of_both(
    parts: Parts,
    experiment: PlannedExperiment,
    name: str,
    reference: str,
    figure: BlockFigure,
    mean: Callable[[float, float], float] = _arithmetic,
) -> tuple[float, float] | None:
    """(figure of the arm, figure of the reference); None if one of them has no figure. `mean` is that of two runs."""
    own = _figure_beside(parts, experiment, name, reference, figure, mean)
    other = _figure_beside(parts, experiment, reference, name, figure, mean)
    return (own, other) if own and other else None


def log_ratios_by_round(
    block: Block, experiment: PlannedExperiment, name: str, figure: BlockFigure
) -> list[float | None]:
    """The log-ratio of an arm to the baseline in each round that has both; None if a slice has no figure."""
    baseline = experiment.baseline
    return [
        log_ratio(parts, experiment, name, baseline, figure)
        for parts in parts_by_round(block.arms, figure.share)
        if name in parts and baseline in parts
    ]


def parts_by_round(arms: Iterable[ArmBlock], share: float | None) -> list[Parts]:
    """The parts of a block as if each round were a block; `share` is that of the offered load (None: closed loop)."""
    rounds: dict[int, dict[str, ArmBlock]] = {}
    for part in arms:
        load = None if share is None else load_at(part, share)
        for piece in part.slices if share is None else [] if load is None else load.slices:
            change: dict[str, Any] = {"slices": [piece]}
            if load is not None:
                change = {"open_loop": [load.of_slice(piece)]}
            rounds.setdefault(piece.round, {})[part.name] = msgspec.structs.replace(part, **change)
    return list(rounds.values())


def _figure_beside(
    parts: Parts,
    experiment: PlannedExperiment,
    name: str,
    beside: str,
    figure: BlockFigure,
    mean: Callable[[float, float], float],
) -> float | None:
    """The figure of an arm that stands beside another one."""
    first = figure(parts[name])
    copy = experiment.copy if name == experiment.copied_arm else None
    if copy is None or copy == beside or copy not in parts:
        return first
    second = figure(parts[copy])
    return mean(first, second) if first and second else None  # taken as 0, a run without the figure halves the mean
