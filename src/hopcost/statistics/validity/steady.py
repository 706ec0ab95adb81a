"""Whether an arm was warm: its CPU per request must not fall from the first rounds of a start to the last.

A program that compiles itself as it runs (Node) gets cheaper over thousands of requests. Its figures would then be of
the warm-up, and better the longer a run is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from hopcost.plan.method import METHOD
from hopcost.record.contents.block import ArmBlock
from hopcost.statistics.figures import total


def why_not_steady(parts: Sequence[ArmBlock]) -> str | None:
    """Why an arm has neither verdict nor size, given its part of each valid block; None if it has."""
    fallen = fall([costs for part in parts if (costs := costs_by_round(part)) is not None])
    if fallen is None:
        return None
    return (
        f"not steady: its CPU per request fell by {100 * fallen:.0f} % from the first round of a start to the last;"
        " more --time warms it up longer"
    )


def costs_by_round(part: ArmBlock) -> list[float] | None:
    """CPU ns per answer of each round, in their order; None if one is not known."""
    costs = []
    for piece in sorted(part.slices, key=lambda piece: piece.round):
        used_ns = total(piece.cpu_ns.values())
        if not used_ns or not piece.answers:
            return None
        costs.append(used_ns / piece.answers)
    return costs


def fall(starts: Sequence[Sequence[float]]) -> float | None:
    """The share by which costs fall from the first round to the last of their starts; None unless that is significant.

    Of each start the least-squares slope of the logarithms over its rounds, times the rounds; over starts their mean,
    by a one-sided t test. Starts are independent, rounds of a start need not be. A fall of which nobody would take
    notice is none.
    """
    trends = [trend(costs) for costs in starts if len(costs) > 1]
    if len(trends) < 2:
        return None
    mean = sum(trends) / len(trends)
    if mean >= math.log(1 - METHOD.max_fall):
        return None
    spread = math.sqrt(sum((change - mean) ** 2 for change in trends) / (len(trends) - 1))
    limit = float(stdtrit(len(trends) - 1, METHOD.steady_error)) * spread / math.sqrt(len(trends))
    return 1 - math.exp(mean) if mean < limit else None


def trend(costs: Sequence[float]) -> float:
    """By how much the logarithm changes from the first to the last round, along the least-squares line.

    >>> round(math.exp(trend([100, 90, 81])), 6)
    0.81
    """
    rounds = np.arange(len(costs)) - (len(costs) - 1) / 2
    slope = float(rounds @ np.log(costs)) / float(rounds @ rounds)
    return slope * (len(costs) - 1)
