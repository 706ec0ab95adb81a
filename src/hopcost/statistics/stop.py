"""What the blocks of an experiment say so far, and whether they are precise enough to stop. Computed once a block."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.record.block import Block
from hopcost.statistics import figures, looks, verdict
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.intervals import ONE, Interval


class ArmSoFar(msgspec.Struct, frozen=True):
    """One arm over the valid blocks so far; the A/A arm's ratios are to the baseline's first run.

    `errors` counts those of all kinds, warm-up included, as the report does; a void block's are not among them.
    """

    name: str
    ratio: Interval | None
    cpu_ratio: Interval | None
    errors: int
    has_failed: bool = False


def arms_so_far(experiment: PlannedExperiment, blocks: Sequence[Block]) -> list[ArmSoFar]:
    """Every planned arm in order, the baseline and its second run included; blocks may be void."""
    arms = PairedBlocks(experiment, blocks)
    floor_error = METHOD.look_error
    error = looks.error_of_one_arm(experiment, floor_error)
    failed = {failure.arm for block in blocks for failure in block.failures}
    found = []
    for arm in experiment.arms:
        parts = arms.of(arm.name)
        share = floor_error if arm.name == arms.copy else error
        ratios: list[Interval | None] = [None, None]
        if parts and arm.name == experiment.baseline:
            ratios = [ONE, ONE]
        elif parts:
            ratios = [arms.ratio(arm.name, figure, share) for figure in (figures.throughput, figures.cpu_per_request)]
        errors = sum(count for part in parts for count in part.errors.values())
        found.append(ArmSoFar(arm.name, ratios[0], ratios[1], errors, arm.name in failed))
    return found


def widest_interval(experiment: PlannedExperiment, arms: Sequence[ArmSoFar]) -> float | None:
    """The largest half-width of a throughput ratio, relative to it, as the report's line below the table has it."""
    copies = {arm.name for arm in experiment.arms if arm.copy_of is not None}
    ratios = [arm.ratio for arm in arms if arm.ratio is not None and arm.name not in {experiment.baseline, *copies}]
    return max((ratio.half_width for ratio in ratios if ratio.half_width is not None), default=None)


def is_precise_enough(
    experiment: PlannedExperiment, blocks: Sequence[Block], *, error: float, precision: float
) -> bool:
    """Whether the half-width of every arm's ratio, in throughput and in CPU per request, is at most `precision`.

    The interval's place does not matter, so that no result is chosen. An arm that failed is not waited for.
    """
    arms = PairedBlocks(experiment, blocks)
    others = [arm.name for arm in experiment.arms if arm.name not in (experiment.baseline, experiment.copy)]
    others = others or [arm.name for arm in experiment.arms if arm.name == experiment.copy]  # the baseline alone
    names = [name for name in others if arms.of(name) and name not in arms.failed]
    if not names:
        return False
    own_error = looks.error_of_one_arm(experiment, error)
    for figure in (figures.throughput, figures.cpu_per_request):
        for name in names:
            interval = arms.ratio(name, figure, own_error)
            if interval is None and figure is figures.cpu_per_request:
                continue  # a hop whose CPU time is not known has none in any block
            width = None if interval is None else interval.half_width
            if width is None or width > precision:
                return False
    return True


def undecided_arms(
    experiment: PlannedExperiment, blocks: Sequence[Block], names: Sequence[str], *, error: float
) -> list[str]:
    """Of these arms (none: all that are compared) those whose throughput may be above or below the baseline's.

    An arm that failed is not waited for; `error` is that of all arms of the experiment together.
    """
    arms = PairedBlocks(experiment, blocks)
    compared = [arm.name for arm in experiment.arms if arm.name not in (experiment.baseline, experiment.copy)]
    own_error = looks.error_of_one_arm(experiment, error)
    return [
        name
        for name in compared
        if name in (names or compared)
        and name not in arms.failed
        and not verdict.is_beyond(arms.ratio(name, figures.throughput, own_error), 0.0)
    ]
