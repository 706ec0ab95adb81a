"""What the blocks of an experiment say so far, as the report would print it, were the run interrupted now.

Pure; computed once for each block.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost import compared, comparison, statistics
from hopcost.comparison import Arms
from hopcost.plan import Plan, PlannedExperiment
from hopcost.recorded import Block
from hopcost.statistics import Interval


class ArmSoFar(msgspec.Struct, frozen=True):
    """One arm over the valid blocks so far; the A/A arm's ratios are to the baseline's first run.

    `errors` counts those of all kinds, warm-up included, as the report does; a void block's are not among them.
    """

    name: str
    ratio: Interval | None
    cpu_ratio: Interval | None
    errors: int
    has_failed: bool = False


def of(plan: Plan, experiment: PlannedExperiment, blocks: Sequence[Block]) -> list[ArmSoFar]:
    """Every planned arm in order, the baseline and its second run included; blocks may be void."""
    arms = Arms(experiment, blocks)
    floor_error = statistics.error_per_look(len(plan.looks))
    error = compared.error_of_each(experiment, floor_error)
    failed = {failure.arm for block in blocks for failure in block.failures}
    found = []
    for arm in experiment.arms:
        parts = arms.of(arm.name)
        share = floor_error if arm.name == arms.again else error
        ratios: list[Interval | None] = [None, None]
        if parts and arm.name == experiment.baseline:
            ratios = [statistics.ONE, statistics.ONE]
        elif parts:
            ratios = [arms.ratio(arm.name, each, share) for each in (comparison.throughput, comparison.cpu_per_request)]
        errors = sum(count for part in parts for count in part.errors.values())
        found.append(ArmSoFar(arm.name, ratios[0], ratios[1], errors, arm.name in failed))
    return found


def widest(experiment: PlannedExperiment, arms: Sequence[ArmSoFar]) -> float | None:
    """The largest half-width of a throughput ratio, relative to it, as the report's line below the table has it."""
    copies = {arm.name for arm in experiment.arms if arm.copy_of is not None}
    ratios = [arm.ratio for arm in arms if arm.ratio is not None and arm.name not in {experiment.baseline, *copies}]
    return max((ratio.half_width for ratio in ratios if ratio.half_width is not None), default=None)
