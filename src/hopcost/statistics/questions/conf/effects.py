"""What each change of a screening does to CPU time per request, out of rounds of one start. Pure.

Each round gives one effect of every change: least squares over its slices, which are a second or so apart. What drifts
from round to round moves none of them. The interval is Student's t of these effects over the rounds. It tells how the
rounds of this start scatter, and nothing of how another start would differ: a screening chooses, it does not decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hopcost.record.contents.block import Block
from hopcost.statistics import intervals
from hopcost.statistics.figures import BlockFigure
from hopcost.statistics.intervals import Interval
from hopcost.statistics.log_ratio import parts_by_round
from hopcost.statistics.questions.conf.design import ScreenedArm

Rounds = Sequence[Mapping[str, float]]  # of each round the figure by arm


def effects(rounds: Rounds, arms: Sequence[ScreenedArm], error: float) -> dict[str, Interval | None]:
    """By change, the figure with it minus that without, in the figure's unit; all intervals together have the error.

    Arms that are not in every round are left out, as if they had failed. None for a change that the other arms cannot
    tell from the rest, or without a round. Several arms may have the same changes.
    """
    changes = list(dict.fromkeys(change for arm in arms for change in arm.changes))
    known = [arm for arm in arms if rounds and all(arm.name in figures for figures in rounds)]
    if not known:
        return dict.fromkeys(changes)
    weights, is_told = _weights(known, changes)
    figures = np.array([[figures[arm.name] for arm in known] for figures in rounds])  # (rounds, arms)
    by_round = figures @ weights.T  # (rounds, changes)
    own_error = error / max(1, len(changes))
    return {
        change: intervals.mean(by_round[:, column].tolist(), own_error) if is_told[column] else None
        for column, change in enumerate(changes)
    }


def _weights(arms: Sequence[ScreenedArm], changes: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Of each arm's figure in each effect, (changes, arms), by least squares; and whether the arms tell the effect."""
    matrix = np.array([[1.0, *(float(change in arm.changes) for change in changes)] for arm in arms])
    inverse = np.linalg.pinv(matrix)
    is_told = np.isclose(inverse @ matrix, np.eye(len(changes) + 1), atol=1e-9).all(axis=1)
    return np.asarray(inverse[1:]), np.asarray(is_told[1:])


def rounds_of(block: Block, figure: BlockFigure) -> list[dict[str, float]]:
    """The figure by arm in each round of a block; an arm without it is not there."""
    rounds = []
    for parts in parts_by_round(block.parts_that_count, figure.share):
        figures = {name: figure(part) for name, part in parts.items()}
        rounds.append({name: value for name, value in figures.items() if value})
    return rounds
