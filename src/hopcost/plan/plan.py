"""A plan as it stands in the record: experiments with everything decided that can be decided before they start."""

from __future__ import annotations

import msgspec

from hopcost.plan.cores import Cores
from hopcost.plan.turns import Turns
from hopcost.suites.arm import Arm, Settings
from hopcost.suites.experiment import Workload
from hopcost.suites.published import Protocol, Published, Value


class LeftOut(msgspec.Struct, frozen=True):
    """An arm or experiment that does not run here, why, and the command that would bring it."""

    name: str
    reason: str
    remedy: str | None = None


class PlannedArm(msgspec.Struct, frozen=True):
    """An arm to run; `copy_of` names the baseline when this is its second run, the A/A arm."""

    name: str
    arm: Arm
    copy_of: str | None = None


class Point(msgspec.Struct, frozen=True):
    """Which value of a sweep an experiment is."""

    experiment: str
    key: str
    value: Value


class PlannedExperiment(msgspec.Struct, frozen=True):
    """An experiment with everything decided that can be decided before it starts.

    Before each slice of `slice_ns` an arm is loaded for `settle_ns` that do not count: after the other arms' slices its
    memory is out of the caches and its queues are not what they are in a run alone. With 1000 connections that takes
    300 ms (docs/methodology.md). The rounds' slices are longer or shorter by a share of `slice_jitter` at most, lest
    visits fall into step with what comes and goes in an arm; all rounds together take as long. `connections_asked` are
    those of the suite, where the workload's are fewer here. Whole slices are shortened to `slice_ns_least` where the
    time is short. A soak lasts `soak_s`; `soak_asked_s` is the article's. `open_loop_shares` of the slowest arm's
    throughput are offered to all arms after the closed loop. `weight` is its part of the run's time beside those of the
    others.
    """

    name: str
    question: str
    baseline: str
    arms: list[PlannedArm]
    cores: Cores
    workload: Workload
    settle_ns: int
    slice_ns: int
    settings: Settings
    left_out: list[LeftOut]
    notes: list[str]
    published: list[Published]
    published_conditions: str
    control: str | None
    turns: Turns = Turns.ALL
    slice_jitter: float = 0.0
    slice_ns_least: int | None = None
    connections_asked: int | None = None
    point: Point | None = None
    soak_s: float | None = None
    soak_asked_s: int | None = None
    as_published: Protocol | None = None
    protocol_connections: int | None = None
    open_loop_shares: list[float] = []
    weight: int = 1

    @property
    def twice(self) -> str:
        """The arm that runs a second time in each block; where none does, the baseline."""
        return next((arm.copy_of for arm in self.arms if arm.copy_of is not None), self.baseline)

    @property
    def groups(self) -> list[list[str]]:
        """The arms that are measured together, a block for each."""
        names = [arm.name for arm in self.arms]
        pair = [self.baseline, *(arm.name for arm in self.arms if arm.copy_of is not None)]
        others = [name for name in names if name not in pair]
        if self.turns is not Turns.THREES or not others:
            return [names]
        return [[pair[0], other, *pair[1:]] for other in others]


class Plan(msgspec.Struct, frozen=True):
    """The ordered work that a suite means here.

    `looks` are numbers of blocks, `target_width` is the half-width of a ratio's interval, `margin` (a fraction) what
    nobody should care about.
    """

    suite: str
    title: str
    analysis: str
    quick: bool
    seed: int
    budget_s: float
    warm_up_least_ns: int
    warm_up_most_ns: int
    looks: list[int]
    target_width: float
    margin: float
    experiments: list[PlannedExperiment]
    left_out: list[LeftOut]
    not_quick: list[str] = []
    peer: str | None = None
    as_published: bool = False
    scale: float = 1.0
