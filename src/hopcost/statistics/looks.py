"""How the error of 5 % is shared by looks at the width, and by the arms of an experiment (Bonferroni)."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.run import StopReason
from hopcost.statistics.arms import PairedBlocks


def error_at_end(looks: Sequence[int], arms: PairedBlocks, ending: StopReason | None) -> float:
    """The error that the intervals of a figure share in the report: a look's, or what is left where looks are over.

    `ending` says why the experiment stopped; who interrupts a run may have seen its intervals.
    """
    if ending not in (StopReason.TIME, StopReason.BLOCKS):
        return error_per_look(len(looks))
    return error_left(looks, len(arms.blocks))


def error_of_one_arm(experiment: PlannedExperiment, error: float) -> float:
    """The error of one arm's interval, so that those of all arms together have `error` (Bonferroni).

    Beside a baseline that was chosen afterwards it is that of all pairs of arms.
    """
    arms = sum(arm.copy_of is None for arm in experiment.arms)
    intervals = arms - 1 if experiment.baseline == experiment.copied_arm else arms * (arms - 1) // 2
    return error / max(1, intervals)


def error_per_look(looks: int) -> float:
    """The error each of several fixed looks may spend so that all together spend 5 % (Bonferroni)."""
    return METHOD.confidence_error / looks


def error_left(looks: Sequence[int], blocks: int) -> float:
    """The error that a run over so many blocks has left at its end: all that looks before it have not spent.

    For a run that ends since its time or its blocks are over, not by what it saw.

    >>> error_left((6, 10, 16, 24), 6), error_left((6, 10, 16, 24), 11), error_left((6, 10, 16, 24), 24)
    (0.05, 0.025, 0.0125)
    """
    return METHOD.confidence_error * (1 - sum(look < blocks for look in looks[:-1]) / len(looks))
