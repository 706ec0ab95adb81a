"""One probe: every arm in its turn under the rate that it is offered next, the others frozen."""

from __future__ import annotations

from collections.abc import Mapping

from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.engine import engine_plan, run_engine_plan
from hopcost.measure.load.part import Part
from hopcost.measure.load.warm_up import open_warm_up
from hopcost.programs.generators.engine_plan import Rate
from hopcost.record.contents.block import Block
from hopcost.record.contents.offered_load import OpenLoad
from hopcost.stacks.under_load.workers import Workers
from hopcost.statistics.figures import throughput


def load_probe(
    context: BlockContext,
    block: Block,
    ready: list[CheckedArm],
    rates: Mapping[str, float],
    lengths_s: Mapping[str, float],
) -> dict[str, OpenLoad]:
    """Offer each arm its rate for its length, once; what came of it also goes into the block.

    Connections live for this probe. What an overloaded arm still had queued goes with them: the engine sends nothing
    more at the end of a slice, waits for what is in flight, and forgets what was never sent.
    """
    number = len(block.probe_ends)
    warm_up = open_warm_up(context.experiment.workload)
    work = engine_plan(context, ready, block.seed ^ (number + 1), warm_up.least_ns, 1, warm_up)
    for arm in work.arms:
        arm.slice_ns = round(lengths_s[arm.name] * 1e9)
        arm.arrivals = {"poisson": Rate(rate_per_s=rates[arm.name])}
        if len(ready) > 1:
            arm.reopen_each_round, arm.close_each_round = context.experiment.opening.value, True
    parts = {checked.arm.name: Part(checked) for checked in ready}
    processes = {checked.arm.name: Workers(checked.stack) for checked in ready}
    block.probe_ends.append(run_engine_plan(context, block, work, parts))
    loads = {}
    for part in block.arms:
        if part.name not in parts:
            continue
        full_per_s = throughput(part)
        rate_per_s = rates[part.name]
        loads[part.name] = parts[part.name].open(rate_per_s / full_per_s if full_per_s else 0.0, rate_per_s)
        part.probes.append(loads[part.name])
        for hop, ended in processes[part.name].restarts().items():
            part.restarts[hop] = part.restarts.get(hop, 0) + ended
    return loads
