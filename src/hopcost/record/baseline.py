"""A record with another arm as the baseline of its experiments: any two arms beside each other, on request.

Nothing that was measured changes: the A/A floor stays that of the copied arm.
"""

from __future__ import annotations

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.plan.plan import PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.record.contents.run import Record


def with_baseline(record: Record, name: str) -> Record:
    """All experiments that have this arm beside it, the others as planned; UsageError if none has it."""
    planned = record.plan.experiments
    if not any(name in _arms(experiment) for experiment in planned):
        every = list(dict.fromkeys(arm for experiment in planned for arm in _arms(experiment)))
        raise UsageError(f"no experiment of {record.path.name} has a stack '{name}'", nearest(name, every))
    experiments = [_beside(experiment, name) if name in _arms(experiment) else experiment for experiment in planned]
    return msgspec.structs.replace(record, plan=msgspec.structs.replace(record.plan, experiments=experiments))


def _arms(experiment: PlannedExperiment) -> list[str]:
    """Those that may be its baseline: a soak is of one arm, and stays as it is."""
    return [] if experiment.turns is Turns.SOAK else [arm.name for arm in experiment.arms if arm.copy_of is None]


def _beside(experiment: PlannedExperiment, name: str) -> PlannedExperiment:
    if name == experiment.baseline:
        return experiment
    note = (
        f"beside {name} on request, planned was {experiment.baseline}: intervals hold together for all pairs of arms,"
        " since who asks may have seen them"
    )
    control = name if experiment.control is not None else None
    return msgspec.structs.replace(experiment, baseline=name, control=control, notes=[*experiment.notes, note])
