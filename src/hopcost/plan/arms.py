"""Which arms of an experiment run here, which are left out, and the baseline's copy."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.plan import LeftOut
from hopcost.programs.definition.definition import Installed
from hopcost.suites.arms.arm import Arm
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.suite import Suite

REMEDY = "measure it without --on"


def arms_here(
    suite: Suite,
    experiment: Experiment,
    installed: Mapping[str, Installed],
    elsewhere: GeneratorLimits | None = None,
) -> tuple[list[str], list[LeftOut], list[str]]:
    """The arms that run here, those left out, and notes; CannotMeasure if none is left.

    With a generator `elsewhere` arms are left out that it cannot reach.
    """
    kept: list[str] = []
    stand_ins: list[str] = []
    left_out: list[LeftOut] = []
    missing_stand_ins: list[LeftOut] = []
    for name in experiment.arms:
        arm = suite.arms[name]
        receipts = [installed[hop.program].under(hop.settings_over(experiment.settings)) for hop in arm.hops]
        missing = [receipt for receipt in receipts if receipt.missing]
        unreached = None if elsewhere is None else why_not_from_elsewhere(experiment.surrounded(arm))
        if unreached is not None:
            left_out.append(LeftOut(name=name, reason=unreached, remedy=REMEDY))
        elif missing:
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
        reasons = "; ".join(f"{left.name}: {left.reason}" for left in left_out)
        raise CannotMeasure(f"every stack is left out ({reasons})", left_out[0].remedy)
    if experiment.soak is not None and len(kept) < 2:
        reasons = "; ".join(f"{left.name}: {left.reason}" for left in left_out)
        raise CannotMeasure(f"a soak needs both its arms ({reasons})", left_out[0].remedy)
    return kept, left_out, notes


def why_not_from_elsewhere(arm: Arm) -> str | None:
    """Why a generator on another machine cannot load this arm; None if it can."""
    first = arm.hops[0].link if arm.hops else None
    if arm.server is not None:
        return "a server that runs already is not loaded from another machine"
    if first is not None and first.is_unix:
        return f"{first.value}: a Unix socket is not reached from another machine"
    if arm.link_mbit_per_s is not None:
        return f"a link of {arm.link_mbit_per_s} Mbit/s is made within one machine"
    if any(name.startswith("net.") for name in arm.sysctls):
        return "sysctls of net.* would be those of the stacks' machine itself, which hopcost does not change"
    if any(hop.configuration is not None for hop in arm.hops):
        return "your own nginx.conf runs in a network of its own, which another machine does not reach"
    return None


def copy_of_baseline(arm: Arm) -> Arm:
    """The baseline's copy runs beside the baseline: it cannot have the same ports."""
    return msgspec.structs.replace(arm, hops=[msgspec.structs.replace(hop, port=None) for hop in arm.hops])
