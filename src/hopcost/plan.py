"""What a suite means on this machine: experiments, arms with the baseline's second run, cores, rounds, time.

Pure: what is installed and what the machine is come in as arguments; nothing is started or read here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import msgspec

from hopcost.errors import CannotMeasure, UsageError
from hopcost.program import Installed
from hopcost.sandbox import Cores, place
from hopcost.suite import AGAIN, Arm, Experiment, Published, Settings, Suite, Workload

SLICE_NS_LEAST = 100_000_000
SETTLE_NS_LEAST, SETTLE_NS_PER_CONNECTION = 100_000_000, 300_000
LOOKS = (6, 10, 16, 24)  # blocks after which the width is looked at; few and fixed, so that looking costs a known error
BLOCK_S_AT_MOST = 20.0  # of load: longer blocks would leave too few of them in a budget
QUICK_BUDGET_S = 108.0
FULL_BUDGET_S = 1800.0
TARGET_WIDTH = 0.01
WARM_UP_LEAST_NS, WARM_UP_MOST_NS, QUICK_WARM_UP_MOST_NS = 300_000_000, 3_000_000_000, 400_000_000
SPARE_FILES = 256  # for what the engine opens besides connections
BLOCK_OVERHEAD_S_PER_ARM = 0.5  # before one has been seen: start, check, warm-up and stop


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


class PlannedExperiment(msgspec.Struct, frozen=True):
    """An experiment with everything decided that can be decided before it starts.

    Before each slice of `slice_ns` an arm is loaded for `settle_ns` that do not count: after the other arms' slices its
    memory is out of the caches and its queues are not what they are in a run alone. With 1000 connections that takes
    300 ms (docs/methodology.md).
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


class Plan(msgspec.Struct, frozen=True):
    """The ordered work that a suite means here.

    `looks` are numbers of blocks, `target_width` is the half-width of a ratio's interval.
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
    experiments: list[PlannedExperiment]
    left_out: list[LeftOut]


def make(
    suite: Suite,
    chosen: list[str],
    *,
    quick: bool,
    budget_s: float | None,
    seed: int,
    installed: Mapping[str, Installed],
    allowed_cores: list[int],
    siblings: dict[int, list[int]],
    open_files: int,
) -> Plan:
    """The plan for the chosen experiments (all, when none is named); `open_files` is the hard limit of a process.

    CannotMeasure when no experiment can run here; UsageError for a budget that is no time.
    """
    if budget_s is not None and not math.isfinite(budget_s):
        raise UsageError(f"--budget: expected a number of seconds, got {budget_s}")
    experiments, left_out = [], []
    for name in dict.fromkeys(chosen) or [experiment.name for experiment in suite.experiments]:
        try:
            experiments.append(
                _experiment(suite, suite.experiment(name), installed, allowed_cores, siblings, open_files)
            )
        except CannotMeasure as error:
            left_out.append(LeftOut(name=name, reason=error.message, remedy=error.hint))
    if not experiments:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in left_out)
        raise CannotMeasure(f"no experiment of {suite.name} can run here: {reasons}", left_out[0].remedy)
    return Plan(
        suite=suite.name,
        title=suite.title,
        analysis=suite.analysis,
        quick=quick,
        seed=seed,
        budget_s=budget_s if budget_s is not None else QUICK_BUDGET_S if quick else FULL_BUDGET_S,
        warm_up_least_ns=WARM_UP_LEAST_NS,
        warm_up_most_ns=QUICK_WARM_UP_MOST_NS if quick else WARM_UP_MOST_NS,
        looks=list(LOOKS[:1] if quick else LOOKS),
        target_width=TARGET_WIDTH,
        experiments=experiments,
        left_out=left_out,
    )


def _experiment(
    suite: Suite,
    experiment: Experiment,
    installed: Mapping[str, Installed],
    allowed_cores: list[int],
    siblings: dict[int, list[int]],
    open_files: int,
) -> PlannedExperiment:
    cores = place(experiment.placement, allowed_cores, siblings)
    kept: list[str] = []
    stand_ins: list[str] = []
    left_out: list[LeftOut] = []
    missing_stand_ins: list[LeftOut] = []
    for name in experiment.arms:
        arm = suite.arms[name]
        missing = [installed[hop.program] for hop in arm.hops if installed[hop.program].missing]
        if missing:
            left = LeftOut(name=name, reason=missing[0].missing or "", remedy=missing[0].remedy)
            (missing_stand_ins if arm.stand_in else left_out).append(left)
        else:
            (stand_ins if arm.stand_in else kept).append(name)
    notes = []
    if left_out:
        left_out += missing_stand_ins  # one that nobody needs is not missed
        kept += stand_ins
        notes += [f"{name} stands in for what is left out" for name in stand_ins]
    if not kept:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in left_out)
        raise CannotMeasure(f"every arm is left out ({reasons})", left_out[0].remedy)
    baseline = experiment.baseline if experiment.baseline in kept else kept[0]
    if baseline != experiment.baseline:
        notes.append(f"the baseline {experiment.baseline} is left out; {baseline} takes its place")
    if len(allowed_cores) < experiment.needs_cores:
        notes.append(
            f"too few cores for the published conditions: {len(allowed_cores)} here, {experiment.needs_cores} needed"
            f" ({experiment.needs_cores_because})"
        )
    if cores.shared:
        notes.append("the generator shares a core with the stack: throughput holds the generator's cost too")
    settle_ns = max(SETTLE_NS_LEAST, SETTLE_NS_PER_CONNECTION * experiment.workload.connections)
    arms = [PlannedArm(name=name, arm=experiment.surrounded(suite.arms[name])) for name in kept]
    needed = experiment.workload.connections * (len(arms) + 1) + SPARE_FILES
    if needed > open_files:
        raise CannotMeasure(
            f"{needed} open files are needed for all connections of all arms, the hard limit is {open_files}",
            f"raise it (ulimit -Hn {needed}), or ask for fewer connections",
        )
    arms.append(
        PlannedArm(
            name=baseline + AGAIN, arm=_second_run(experiment.surrounded(suite.arms[baseline])), copy_of=baseline
        )
    )
    return PlannedExperiment(
        name=experiment.name,
        question=experiment.question,
        baseline=baseline,
        arms=arms,
        cores=cores,
        workload=experiment.workload,
        settle_ns=settle_ns,
        slice_ns=max(SLICE_NS_LEAST, settle_ns),
        settings=experiment.settings,
        left_out=left_out,
        notes=notes,
        published=experiment.published,
        published_conditions=experiment.published_conditions,
        control=experiment.control,
    )


def _second_run(arm: Arm) -> Arm:
    """The baseline again, which runs beside the first: it cannot have the same ports."""
    return msgspec.structs.replace(arm, hops=[msgspec.structs.replace(hop, port=None) for hop in arm.hops])


def block_seed(plan: Plan, experiment: str, block: int) -> int:
    """The seed of a block's order, from the run's: the same run again takes the same order."""
    return random.Random(f"{plan.seed}/{experiment}/{block}").getrandbits(63)


def rounds_for_block(*, seconds_left: float, blocks_left: int, overhead_s: float, round_s: float, at_most: int) -> int:
    """How many rounds fit into the next block when the time left is shared evenly; 0 when not even two do.

    >>> rounds_for_block(seconds_left=30, blocks_left=5, overhead_s=3, round_s=0.6, at_most=30)
    5
    >>> rounds_for_block(seconds_left=4, blocks_left=1, overhead_s=3, round_s=0.6, at_most=30)
    0
    """
    fitting = int((seconds_left / blocks_left - overhead_s) / round_s + 1e-9)
    return 0 if fitting < 2 else min(fitting, at_most)
