"""Whether changes do together what they do one at a time: the whole minus the sum of its parts, with a range. Pure.

In a block with arms W (the whole), P1 … Pk (its parts) and A (the file as it is) that is

    D = (W - A) - sum(Pi - A) = W - sum(Pi) + (k - 1) A

The arms start apart from each other, and starts of each differ by about the same share s of its figure. A runs twice,
and counts with the mean of both runs. So over starts

    Var(D) = s² (W² + sum(Pi²) + (k - 1)² A² / 2)

and Var(Pi - A), which the model of restarts knows as tau² of a pair whose arms have one level, is s² · 3/2 of that
level squared. D is brought to the scale of such a pair, given to the model beside the record's pairs, and brought back.
A sum of single ranges would be wrong on either side: all parts are compared with the same runs of A.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from hopcost.statistics import intervals
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.arms.experiment_blocks import scatter_of_rounds
from hopcost.statistics.figures import BlockFigure, all_known
from hopcost.statistics.intervals import Interval
from hopcost.statistics.log_ratio import Parts, figures_of_both, parts_by_round
from hopcost.statistics.random_effects import Contrast

OF_TWO_RUNS = 0.5  # the variance of their mean, in variances of one
OF_A_PAIR = 1 + OF_TWO_RUNS


def disagreement(
    blocks: PairedBlocks, whole: str, parts: Sequence[str], figure: BlockFigure, error: float
) -> Interval | None:
    """The whole's difference to the baseline minus the sum of its parts', in the figure's unit.

    None unless all these arms stand in one experiment, in a block that has the figure of each.
    """
    names = [whole, *parts]
    having = [block for block in blocks.blocks if {*names, blocks.baseline} <= set(block)]
    known = all_known(_figures(blocks, names, block, figure) for block in having)
    if not known:
        return None
    scale = _scale(known)

    def share(arms: Parts) -> float | None:
        figures = _figures(blocks, names, arms, figure)
        return None if figures is None else _value(figures) / scale

    rounds = [[share(arms) for arms in _rounds_with(names, blocks, block, figure)] for block in having]
    variance, degrees = scatter_of_rounds(rounds)
    counts = [1] * len(having) if variance is None else [figure.rounds(block[whole]) for block in having]
    contrast = Contrast([_value(figures) / scale for figures in known], counts, variance, degrees, learns=False)
    estimate = blocks.record.estimate_beside_pairs(contrast, figure).interval(error)
    low, high = (None if end is None else end * scale for end in (estimate.low, estimate.high))
    return Interval(value=estimate.value * scale, low=low, high=high)


def apart(whole: Interval | None, parts: Sequence[Interval | None]) -> Interval | None:
    """The same out of ranges of experiments that have no starts in common; None if one is not known.

    Each side is the root of the sum of squares of the sides that it comes from, as in `intervals.subtract`.
    """
    known = all_known(parts)
    if whole is None or not known:
        return None
    for part in known:
        whole = intervals.subtract(part, whole)
    return whole


Figures = list[tuple[float, float]]  # of the whole and of each part: its own, and that of the baseline


def _figures(blocks: PairedBlocks, names: Sequence[str], arms: Parts, figure: BlockFigure) -> Figures | None:
    """Of one block or round; None if one has no figure."""
    return all_known(figures_of_both(arms, blocks.experiment, name, blocks.baseline, figure) for name in names)


def _rounds_with(names: Sequence[str], blocks: PairedBlocks, block: Parts, figure: BlockFigure) -> list[Parts]:
    """The rounds of a block that have all of these arms, and the baseline."""
    rounds = parts_by_round(block.values(), figure.share)
    return [arms for arms in rounds if {*names, blocks.baseline} <= set(arms)]


def _value(figures: Figures) -> float:
    """D of one block or round."""
    whole, *parts = [own - baseline for own, baseline in figures]
    return whole - sum(parts)


def _scale(by_block: Sequence[Figures]) -> float:
    """What D is divided by, so that starts move it as they move the difference of a pair ÷ the pair's level."""
    levels = [statistics.fmean(figures[place][0] for figures in by_block) for place in range(len(by_block[0]))]
    baseline = statistics.fmean(figures[0][1] for figures in by_block)
    parts = len(levels) - 1
    squares = sum(level**2 for level in levels) + OF_TWO_RUNS * ((parts - 1) * baseline) ** 2
    return math.sqrt(squares / OF_A_PAIR)
