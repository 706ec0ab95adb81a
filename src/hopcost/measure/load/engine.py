"""Load on running stacks by the engine: its plan, and its lines into a block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from hopcost.errors import MeasurementFailed
from hopcost.measure.load.arm import engine_arm
from hopcost.measure.load.context import BlockContext, CheckedArm
from hopcost.measure.load.part import Part
from hopcost.measure.load.warm_up import open_warm_up
from hopcost.measure.quiet import Outside, busiest
from hopcost.plan.open_loop import Offered
from hopcost.plan.plan import PlannedExperiment
from hopcost.programs.generators.engine_lines import ArmTotals, End, Opening, Slice, Start, WarmedUp
from hopcost.programs.generators.engine_plan import EnginePlan, Rate, WarmUp
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import GeneratorConditions
from hopcost.stacks.under_load import workers
from hopcost.stacks.under_load.receipts import LoadShape
from hopcost.stacks.under_load.workers import Workers


def load_closed(
    context: BlockContext,
    block: Block,
    ready: list[CheckedArm],
    rounds: int,
    slice_ns: dict[str, int] | None = None,
    on_slice: Callable[[Slice], None] | None = None,
    warm_up: WarmUp | None = None,
) -> None:
    """The closed loop: hand the arms to the engine and collect what it says into the block.

    `slice_ns` has the arms whose slices have a length of their own; `on_slice` hears of each slice when it has ended.
    Without `warm_up` it is as long as the plan says.
    """
    work = engine_plan(context, ready, block.seed, context.experiment.slice_ns, rounds, warm_up)
    work.slice_jitter = context.experiment.slice_jitter
    for arm in work.arms:
        arm.slice_ns = (slice_ns or {}).get(arm.name)
    parts = {checked.arm.name: Part(checked) for checked in ready}
    observers = {checked.arm.name: context.rig.observe(checked.stack) for checked in ready}
    processes = {checked.arm.name: Workers(checked.stack) for checked in ready}

    def note(line: Slice) -> None:
        block.slices_elapsed_ns += line.elapsed_ns
        if on_slice is not None:
            on_slice(line)
        if line.round == rounds - 1:
            parts[line.arm].look()

    block.end = run_engine_plan(context, block, work, parts, note)
    block.arms = [part.whole() for part in parts.values()]
    for part, checked, planned in zip(block.arms, ready, work.arms, strict=True):
        assert part.totals is not None, "whole() raises without them"
        shape = load_shape(part.totals)
        part.receipts = observers[part.name].receipts(checked.answer, planned.accepts_gzip, shape)
        part.worker_cpu_ns = processes[part.name].worker_cpu_ns()
        part.restarts = processes[part.name].restarts()
        part.reopened = planned.reopen_each_round


def load_shape(totals: ArmTotals) -> LoadShape:
    """What all connections asked and opened, slow clients and idle ones among them."""
    beside = [own for own in (totals.slow_clients, totals.idle_connections) if own is not None]
    opened = None if totals.opened is None else totals.opened + sum(own.opened for own in beside)
    answers = totals.answers + sum(own.answers for own in beside)
    return LoadShape(answers, opened, in_flight=sum(own.in_flight for own in beside))


def load_open(context: BlockContext, block: Block, ready: list[CheckedArm], offered: Offered) -> None:
    """The open loop: the same stacks under each of the offered loads, which go into the arms' parts of the block.

    Each load has an engine of its own, and the same arrivals for all arms (Poisson). The stacks are warm by now: what
    begins anew is their connections. The settling right before the slice is for those.
    """
    in_block = {part.name: part for part in block.arms}
    warm_up = open_warm_up(context.experiment.workload)
    for number, (share, rate_per_s) in enumerate(offered.rates.items(), start=1):
        # A warm-up takes whole slices.
        work = engine_plan(context, ready, block.seed ^ number, warm_up.least_ns, 1, warm_up)
        for arm in work.arms:
            arm.slice_ns = offered.slice_ns
            arm.arrivals = {"poisson": Rate(rate_per_s=rate_per_s)}
        parts = {checked.arm.name: Part(checked) for checked in ready}
        processes = {checked.arm.name: Workers(checked.stack) for checked in ready}
        block.open_ends.append(run_engine_plan(context, block, work, parts))
        for name, part in parts.items():
            in_block[name].open_loop.append(part.open(share, rate_per_s))
            for hop, ended in processes[name].restarts().items():
                in_block[name].restarts[hop] = in_block[name].restarts.get(hop, 0) + ended


def engine_plan(
    context: BlockContext, ready: list[CheckedArm], seed: int, slice_ns: int, rounds: int, warm_up: WarmUp | None
) -> EnginePlan:
    """The engine's plan for these arms in the closed loop, all slices alike."""
    experiment, plan = context.experiment, context.plan
    work = EnginePlan(
        seed=seed,
        cores=experiment.cores.generator,
        slice_ns=slice_ns,
        settle_ns=experiment.settle_ns,
        rounds=rounds,
        warm_up=warm_up or WarmUp(least_ns=plan.warm_up_least_ns, most_ns=plan.warm_up_most_ns),
        arms=[engine_arm(checked.stack, experiment.workload, checked.answers) for checked in ready],
        shared_cores=experiment.cores.shared,
    )
    for arm, checked in zip(work.arms, ready, strict=True):
        if experiment.opened_each_turn:
            arm.reopen_each_round, arm.close_each_round = experiment.opening.value, True
        elif experiment.reopening is not None and workers.are_dealt_connections(checked.stack):
            arm.reopen_each_round = experiment.reopening.value
    return work


def run_engine_plan(
    context: BlockContext,
    block: Block,
    work: EnginePlan,
    parts: dict[str, Part],
    on_slice: Callable[[Slice], None] | None = None,
    on_warmed_up: Callable[[], None] | None = None,
) -> End:
    """One run of the engine: its lines into the parts, the harness's and others' CPU time into the block.

    `on_slice` hears of each slice when it has ended, `on_warmed_up` of each arm's warm-up.
    """
    stacks, cores = [part.stack for part in parts.values()], cores_in_use(context.experiment)
    rig = context.rig
    outside, cpu = Outside(rig, stacks, cores), 0
    end: End | None = None
    with contextlib.closing(rig.run_engine(work)) as lines:
        for line in lines:
            match line:
                case Start():
                    block.engine = line
                    cpu = rig.own_cpu_ns()
                case Opening():
                    if not line.done:
                        doing = f"opened {line.established} of {line.connections} connections of"
                        context.watcher.arm_runs(line.arm, doing)
                case WarmedUp():
                    context.watcher.arm_runs(line.arm, "warm-up")
                    parts[line.arm].warm_up = line
                    if on_warmed_up is not None:
                        on_warmed_up()
                case Slice():
                    context.watcher.arm_runs(line.arm, "load")
                    parts[line.arm].slices.append(line)
                    if on_slice is not None:
                        on_slice(line)
                case ArmTotals():
                    parts[line.arm].totals = line
                case End():
                    end = line
                    block.harness_cpu_ns = (block.harness_cpu_ns or 0) + rig.own_cpu_ns() - cpu
    if end is None:
        raise MeasurementFailed("the load engine ended without its last line")
    use = rig.generator_use(end)
    outside.put_into(block, use.cpu_ns_here)
    for machine, more in use.machines.items():
        block.generators[machine] = add_conditions(block.generators.get(machine), more)
    return end


def add_conditions(before: GeneratorConditions | None, more: GeneratorConditions) -> GeneratorConditions:
    """Over two loads of a block; what one of them does not know is not known."""
    if before is None:
        return more

    def added(first: int | None, second: int | None) -> int | None:
        return None if first is None or second is None else first + second

    return GeneratorConditions(
        elapsed_ns=before.elapsed_ns + more.elapsed_ns,
        foreign_cpu_ns=before.foreign_cpu_ns + more.foreign_cpu_ns,
        steal_ns=before.steal_ns + more.steal_ns,
        throttled_ns=added(before.throttled_ns, more.throttled_ns),
        swapped_pages=added(before.swapped_pages, more.swapped_pages),
        others=busiest([*before.others, *more.others]),
    )


def cores_in_use(experiment: PlannedExperiment) -> list[int]:
    """The cores of the stacks' machine: those of the stack, and of a generator there; each once."""
    return experiment.cores.of_stacks_machine
