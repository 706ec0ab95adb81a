"""The log-ratio of an arm to another arm in a block: over all its slices, or of each round.

The copied arm runs twice in a block. Its figure is the mean of both runs, unless the other arm is its copy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import ArmBlock, Block
from hopcost.statistics.figures import BlockFigure, load_at

Parts = Mapping[str, ArmBlock]  # the parts of one block, by arm


def log_ratio(
    parts: Parts, experiment: PlannedExperiment, name: str, reference: str, figure: BlockFigure
) -> float | None:
    """ln(figure of the arm ÷ figure of the reference); None if one of them has no figure."""
    both = figures_of_both(parts, experiment, name, reference, figure)
    return None if both is None else math.log(both[0]) - math.log(both[1])


def figures_of_both(
    parts: Parts, experiment: PlannedExperiment, name: str, reference: str, figure: BlockFigure
) -> tuple[float, float] | None:
    """(figure of the arm, figure of the reference); None if one of them has no figure."""
    own = _figure_beside(parts, experiment, name, reference, figure)
    other = _figure_beside(parts, experiment, reference, name, figure)
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
    parts: Parts, experiment: PlannedExperiment, name: str, beside: str, figure: BlockFigure
) -> float | None:
    """The figure of an arm that stands beside another one."""
    first = figure(parts[name])
    copy = experiment.copy if name == experiment.copied_arm else None
    if copy is None or copy == beside or copy not in parts:
        return first
    second = figure(parts[copy])
    return (first + second) / 2 if first and second else None  # taken as 0, a run without the figure halves the mean
