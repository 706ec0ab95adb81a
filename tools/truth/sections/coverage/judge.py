"""Whether counts of intervals that hold the truth are significantly below what was promised."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.special import bdtr

SIGNIFICANCE = 0.05  # that any cell is called too low though none is


def probability_of_so_few(holds: float, experiments: float, least: float) -> float:
    """P(as few as that hold or fewer), if each does with probability `least`: one-sided binomial."""
    return float(bdtr(holds, int(experiments), least))


def too_low(probabilities: Sequence[float]) -> list[int]:
    """The cells that are significantly too low, by Holm's step-down procedure (1979) over all of them.

    >>> too_low([0.4, 0.0001, 0.03, 0.014])
    [1, 3]
    """
    order = sorted(range(len(probabilities)), key=lambda cell: probabilities[cell])
    cells: list[int] = []
    for place, cell in enumerate(order):
        if probabilities[cell] > SIGNIFICANCE / (len(order) - place):
            break
        cells.append(cell)
    return cells
