"""What the blocks of an experiment say so far, and whether they are precise enough to stop. Computed once a block.

All intervals are those that a report would print now: the arms come out of `RecordBlocks` over the whole run, so that
its other experiments tell how much starts differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hopcost.plan.method import METHOD
from hopcost.plan.plan import PlannedExperiment
from hopcost.statistics import figures, verdict
from hopcost.statistics.arms import PairedBlocks
from hopcost.statistics.intervals import ONE, Interval
from hopcost.statistics.precision import looks


class ArmSoFar(msgspec.Struct, frozen=True):
    """One arm over the valid blocks so far; the A/A arm stands beside the baseline's first run.

    `cpu_added_ns` is its CPU time per request minus the baseline's. `errors` counts those of all kinds, warm-up
    included, as the report does; a void block's are not among them.
    """

    name: str
    starts: int
    ratio: Interval | None
    cpu_added_ns: Interval | None
    errors: int
    has_failed: bool = False

    @property
    def has_range(self) -> bool:
        """Whether its ratio has a range worth showing: of one start the model alone would speak."""
        return self.ratio is not None and self.starts >= METHOD.min_blocks


def arms_so_far(arms: PairedBlocks) -> list[ArmSoFar]:
    """Every planned arm in order, the baseline and its second run included."""
    return [_arm_so_far(arms, arm.name) for arm in arms.experiment.arms]


def _arm_so_far(arms: PairedBlocks, name: str) -> ArmSoFar:
    parts, error = arms.of(name), METHOD.look_error
    ratio: Interval | None = None
    added: Interval | None = None
    if parts and name == arms.baseline:
        ratio = ONE
    elif parts:
        own_error = error if name == arms.copy else looks.error_of_one_arm(arms.experiment, error)
        ratio = arms.ratio(name, figures.throughput, own_error)
        added = arms.difference(name, figures.cpu_per_request, own_error)
    return ArmSoFar(
        name=name,
        starts=len(parts),
        ratio=ratio,
        cpu_added_ns=added,
        errors=sum(count for part in parts for count in part.errors.values()),
        has_failed=name in arms.failed,
    )


def widest_interval(experiment: PlannedExperiment, so_far: Sequence[ArmSoFar]) -> float | None:
    """The largest half-width of a throughput ratio, relative to it; None before an arm has two starts."""
    names = set(_compared(experiment))
    ratios = [arm.ratio for arm in so_far if arm.name in names and arm.ratio is not None and arm.has_range]
    return max((ratio.half_width for ratio in ratios if ratio.half_width is not None), default=None)


def is_precise_enough(arms: PairedBlocks, *, error: float, precision: float) -> bool:
    """Whether the half-width of every arm's ratio, in throughput and in CPU per request, is at most `precision`.

    The interval's place does not matter, so that no result is chosen. An arm that failed is not waited for.
    """
    others = _compared(arms.experiment) or ([] if arms.copy is None else [arms.copy])  # the baseline alone
    names = [name for name in others if arms.of(name) and name not in arms.failed]
    if not names:
        return False
    own_error = looks.error_of_one_arm(arms.experiment, error)
    for figure in (figures.throughput, figures.cpu_per_request):
        for name in names:
            interval = arms.ratio(name, figure, own_error)
            if interval is None and figure is figures.cpu_per_request:
                continue  # a hop whose CPU time is not known has none in any block
            width = None if interval is None else interval.half_width
            if width is None or width > precision:
                return False
    return True


def undecided_arms(arms: PairedBlocks, names: Sequence[str], *, error: float) -> list[str]:
    """Of these arms (none: all that are compared) those whose throughput may be above or below the baseline's.

    An arm that failed is not waited for; `error` is that of all arms of the experiment together.
    """
    compared, own_error = _compared(arms.experiment), looks.error_of_one_arm(arms.experiment, error)
    return [
        name
        for name in compared
        if name in (names or compared)
        and name not in arms.failed
        and not verdict.is_beyond(arms.ratio(name, figures.throughput, own_error), 0.0)
    ]


def _compared(experiment: PlannedExperiment) -> list[str]:
    """The arms beside the baseline, without its second run."""
    return [arm.name for arm in experiment.arms if arm.name not in (experiment.baseline, experiment.copy)]
