"""When a run looks at the width of its intervals, which error they have then, and how arms share it (Bonferroni)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.until import Until
from hopcost.record.contents.run import StopReason


def is_look(blocks: int) -> bool:
    """Whether a run may end after so many valid blocks because it is precise enough.

    >>> [blocks for blocks in range(100) if is_look(blocks)]
    [6, 8, 12, 16, 24, 32, 48, 64, 96]
    """
    while blocks > max(METHOD.first_looks) and blocks % 2 == 0:
        blocks //= 2
    return blocks in METHOD.first_looks


def looks_after(blocks: int) -> Iterator[int]:
    """The looks after so many blocks, without an end.

    >>> list(itertools.islice(looks_after(8), 3))
    [12, 16, 24]
    """
    return (number for number in itertools.count(blocks + 1) if is_look(number))


def error_at_end(ending: StopReason | None, until: Until = Until.PRECISION) -> float:
    """The error that the intervals of a figure share in the report.

    It is a look's if the run ended since it was precise enough. Who interrupts a run may have seen its intervals. At
    the end of the time it is all of 5 %: a look at widths alone chooses no result. Looks at directions do choose
    one, so each of them and the end have a share of the 5 % (Bonferroni).

    >>> len(METHOD.decision_looks) * METHOD.decision_error + METHOD.undecided_error
    0.05
    """
    if until is Until.DECIDED:
        return METHOD.undecided_error if ending is StopReason.TIME else METHOD.decision_error
    return METHOD.confidence_error if ending in (StopReason.TIME, StopReason.BLOCKS) else METHOD.look_error


def error_of_one_arm(experiment: PlannedExperiment, error: float) -> float:
    """The error of one arm's interval, so that those of all arms together have `error` (Bonferroni).

    Beside a baseline that was chosen afterwards it is that of all pairs of arms.
    """
    arms = sum(arm.copy_of is None for arm in experiment.arms)
    intervals = arms - 1 if experiment.baseline == experiment.copied_arm else arms * (arms - 1) // 2
    return error / max(1, intervals)
