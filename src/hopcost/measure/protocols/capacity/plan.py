"""The plan of a run as one for capacities: no second run of the baseline, no comparison, the arms asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from hopcost.errors import CannotMeasure, UsageError, nearest
from hopcost.plan.groups import JOINT
from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.plan.slices import shortest_slices
from hopcost.plan.turns import Turns, why_no_lower_load
from hopcost.suites.experiments.experiment import Slices
from hopcost.suites.suite import Suite

LONGEST_CHAIN = 2  # connections of a proxy for each of the client's
OF_TURNS = ("one arm at a time", "no open loop", "groups of")  # how such notes of a plan begin


def capacity_plan(plan: Plan, suite: Suite, arms: Collection[str], open_files: int) -> Plan:
    """The plan for these arms; for all, if none is named.

    UsageError for an arm that it does not have. CannotMeasure for servers that can only be loaded fully.
    """
    experiments = [part for planned in plan.experiments for part in _parts(planned, suite, arms, open_files)]
    if not experiments:
        known = [arm.name for planned in plan.experiments for arm in without_copy(planned.arms)]
        raise UsageError(f"no stack is called '{', '.join(arms)}' here", nearest(next(iter(arms)), known))
    return msgspec.structs.replace(plan, experiments=experiments)


def without_copy(arms: Sequence[PlannedArm]) -> list[PlannedArm]:
    """Without the baseline's second run."""
    return [arm for arm in arms if arm.copy_of is None]


def seconds_of(experiments: Sequence[PlannedExperiment], time_s: float) -> list[float]:
    """How the time is shared: by the number of arms."""
    arms = sum(len(planned.arms) for planned in experiments)
    return [time_s * len(planned.arms) / arms for planned in experiments]


def _parts(
    planned: PlannedExperiment, suite: Suite, names: Collection[str], open_files: int
) -> list[PlannedExperiment]:
    """The experiment with the arms that are wanted: one, or one for each arm if they cannot take turns.

    Idle time-outs do not keep them from that: connections live for one probe, and what a pool drops meanwhile is
    opened again while the arm settles.
    """
    if planned.turns is Turns.SOAK:
        raise UsageError(f"{planned.name} is a soak: it is one long load", "name an experiment without a soak")
    if planned.restart is not None:
        raise UsageError(f"{planned.name} restarts its servers under load", "name an experiment without `restart`")
    arms = [arm for arm in without_copy(planned.arms) if not names or arm.name in names]
    servers = [arm.arm.server for arm in arms if arm.arm.server is not None]
    why = why_no_lower_load(servers, planned.workload.connections)
    if why is not None:
        raise CannotMeasure(f"{planned.name}: {why}", "fewer connections: -c N, at most as many as it has workers")
    if not arms:
        return []
    fits = LONGEST_CHAIN * planned.workload.connections * len(arms) + METHOD.spare_files <= open_files
    if fits and suite.experiment(planned.suite_name).slices is Slices.INTERLEAVED:
        return [_with(planned, arms, planned.name)]
    return [_with(planned, [arm], JOINT.join([planned.name, arm.name])) for arm in arms]


def _with(planned: PlannedExperiment, arms: list[PlannedArm], name: str) -> PlannedExperiment:
    settle_ns, slice_ns = shortest_slices(Turns.ALL, planned.workload.connections, quick=False, whole_s=None)
    baseline = planned.baseline if planned.baseline in [arm.name for arm in arms] else arms[0].name
    return msgspec.structs.replace(
        planned,
        name=name,
        group_of=None if name == planned.name else planned.suite_name,
        arms=arms,
        baseline=baseline,
        open_loop_shares=[],
        open_loop_rates=[],
        turns=Turns.ALL,
        settle_ns=settle_ns,
        slice_ns=slice_ns,
        notes=[note for note in planned.notes if not note.startswith(OF_TURNS)] if name == planned.name else [],
    )
