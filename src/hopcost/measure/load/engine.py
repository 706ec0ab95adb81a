"""Load on running stacks by the engine: its plan, and its lines as parts of a block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.measure.quiet import Outside
from hopcost.measure.rig import Rig
from hopcost.measure.watcher import Watcher
from hopcost.plan.method import METHOD
from hopcost.plan.open_loop import Offered
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.programs.generators import engine_protocol
from hopcost.programs.generators.engine_protocol import (
    ArmTotals,
    Cgroup,
    End,
    EngineArm,
    EngineHop,
    EnginePlan,
    Opening,
    ProcessClocks,
    Rate,
    Slice,
    Start,
    Tls,
    WarmedUp,
    WarmUp,
)
from hopcost.record.contents.block import ArmBlock, Block, OpenLoad
from hopcost.record.contents.evidence import CheckedAnswer, Surroundings, TimeWait
from hopcost.record.writer import Writer
from hopcost.stacks.attached.request import request_of
from hopcost.stacks.client import check
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.stack import Stack, hop_names
from hopcost.stacks.surroundings import with_link_load
from hopcost.stacks.under_load import workers
from hopcost.stacks.under_load.receipts import LoadShape
from hopcost.stacks.under_load.workers import Workers
from hopcost.suites.experiments.experiment import Workload


class BlockContext(msgspec.Struct, frozen=True):
    """What all blocks of an experiment have in common.

    `so_far` has all finished blocks of the run, those of its other experiments too.
    """

    plan: Plan
    experiment: PlannedExperiment
    rig: Rig
    writer: Writer
    watcher: Watcher
    so_far: list[Block] = []

    def finish(self, block: Block) -> None:
        """A block is done: it goes into the record, and the watcher hears of it."""
        masked = self.writer.append(block)
        self.so_far.append(block)
        self.watcher.block_ends(masked)


class CheckedArm(msgspec.Struct, frozen=True):
    """An arm that runs and has answered the check."""

    arm: PlannedArm
    stack: Stack
    answer: HttpAnswer


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
    work = _work(context, ready, block.seed, context.experiment.slice_ns, rounds, warm_up)
    work.slice_jitter = context.experiment.slice_jitter
    for arm in work.arms:
        arm.slice_ns = (slice_ns or {}).get(arm.name)
    parts = {checked.arm.name: _Part(checked) for checked in ready}
    observers = {checked.arm.name: context.rig.observe(checked.stack) for checked in ready}
    processes = {checked.arm.name: Workers(checked.stack) for checked in ready}

    def note(line: Slice) -> None:
        block.slices_elapsed_ns += line.elapsed_ns
        if on_slice is not None:
            on_slice(line)
        if line.round == rounds - 1:  # later the engine closes its connections, which would be counted too
            parts[line.arm].time_wait = parts[line.arm].stack.time_wait()

    block.end = _run(context, block, work, parts, note)
    block.arms = [part.whole() for part in parts.values()]
    for part, checked, planned in zip(block.arms, ready, work.arms, strict=True):
        assert part.totals is not None, "whole() raises without them"
        shape = LoadShape(answers=part.totals.answers, opened=part.totals.opened)
        part.receipts = observers[part.name].receipts(checked.answer, planned.request.accepts_gzip, shape)
        part.worker_cpu_ns = processes[part.name].worker_cpu_ns()
        part.restarts = processes[part.name].restarts()
        part.reopened = planned.reopen_each_round


def load_open(context: BlockContext, block: Block, ready: list[CheckedArm], offered: Offered) -> None:
    """The open loop: the same stacks under each of the offered loads, which go into the arms' parts of the block.

    Each load has an engine of its own, and the same arrivals for all arms (Poisson). The stacks are warm by now: what
    begins anew is their connections. The settling right before the slice is for those.
    """
    in_block = {part.name: part for part in block.arms}
    brief_ns = METHOD.open_warm_up_ns
    warm_up = WarmUp(least_ns=brief_ns, most_ns=brief_ns)
    for number, (share, rate_per_s) in enumerate(offered.rates.items(), start=1):
        work = _work(context, ready, block.seed ^ number, brief_ns, 1, warm_up)  # a warm-up takes whole slices
        for arm in work.arms:
            arm.slice_ns = offered.slice_ns
            arm.arrivals = {"poisson": Rate(rate_per_s=rate_per_s)}
        parts = {checked.arm.name: _Part(checked) for checked in ready}
        processes = {checked.arm.name: Workers(checked.stack) for checked in ready}
        block.open_ends.append(_run(context, block, work, parts))
        for name, part in parts.items():
            in_block[name].open_loop.append(part.open(share, rate_per_s))
            for hop, ended in processes[name].restarts().items():
                in_block[name].restarts[hop] = in_block[name].restarts.get(hop, 0) + ended


def _work(
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
        arms=[engine_arm(checked.stack, experiment.workload, checked.answer) for checked in ready],
        shared_cores=experiment.cores.shared,
    )
    for arm, checked in zip(work.arms, ready, strict=True):
        if experiment.opened_each_turn:
            arm.reopen_each_round, arm.close_each_round = experiment.opening.value, True
        elif experiment.reopening is not None and workers.are_dealt_connections(checked.stack):
            arm.reopen_each_round = experiment.reopening.value
    return work


def _run(
    context: BlockContext,
    block: Block,
    work: EnginePlan,
    parts: dict[str, _Part],
    on_slice: Callable[[Slice], None] | None = None,
) -> End:
    """One run of the engine: its lines into the parts, the harness's and others' CPU time into the block."""
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
    outside.put_into(block, end.generator_cpu_ns)
    return end


def cores_in_use(experiment: PlannedExperiment) -> list[int]:
    """The cores of the stack and of the generator, each once."""
    return sorted({*experiment.cores.stack, *experiment.cores.generator})


def engine_arm(stack: Stack, workload: Workload, expected: HttpAnswer) -> EngineArm:
    """A running stack as the engine's plan names it."""
    address, request = stack.prepared.address, request_of(stack.prepared, workload)
    return EngineArm(
        name=stack.arm,
        address={"unix" if address.is_unix else "tcp": address.address},
        network_namespace=stack.network_namespace,
        connections=workload.connections,
        tls=Tls(address.ca_file, address.server_name, address.verify) if address.is_tls else None,
        timeout_ns=workload.timeout_s * 1_000_000_000,
        request=engine_protocol.engine_request(request.target, request.headers, request.method, request.body),
        expect=check.expect_under_load(expected, workload.expect),
        freeze=stack.freeze,
        hops=[*_own_hops(stack), *_shared_hops(stack)],
        requests_per_connection=workload.requests_per_connection,
    )


def _own_hops(stack: Stack) -> list[EngineHop]:
    return [EngineHop(name, _cpu(stack.account_of(name), pids)) for name, pids in stack.processes.items()]


def _shared_hops(stack: Stack) -> list[EngineHop]:
    """The services that its apps use, as far as their CPU time can be read."""
    known = [service for service in stack.services if service.why_unknown is None]
    return [EngineHop(service.name, _cpu(service.account, service.pids), shared=True) for service in known]


def check_engine_plan(answer: HttpAnswer) -> CheckedAnswer:
    """What the record keeps of an answer."""
    return CheckedAnswer(
        status=answer.status,
        header_bytes=answer.header_bytes,
        body_bytes=len(answer.body),
        header_fields=check.names_of_header_fields(answer),
    )


def _cpu(account: str | None, pids: list[int]) -> ProcessClocks | Cgroup:
    """Where a hop's CPU time is read: the clocks of its processes, unless they come and go and a cgroup counts them."""
    return ProcessClocks(processes=pids) if account is None else Cgroup(cgroup=account)


class _Part:
    """The engine's lines about one arm in one run."""

    def __init__(self, ready: CheckedArm) -> None:
        self.arm = ready.arm
        self.hops = hop_names(ready.stack) + [
            service.name for service in ready.stack.services if service.why_unknown is None
        ]
        self.answer = ready.answer
        self.stack = ready.stack
        self.time_wait: list[TimeWait] = []
        self.warm_up: WarmedUp | None = None
        self.slices: list[Slice] = []
        self.totals: ArmTotals | None = None

    def _said(self) -> tuple[WarmedUp, ArmTotals]:
        """The warm-up and the totals; MeasurementFailed if the engine did not send them."""
        if self.warm_up is None or self.totals is None or not self.slices:
            raise MeasurementFailed(f"the load engine said nothing of {self.arm.name}")
        return self.warm_up, self.totals

    def whole(self) -> ArmBlock:
        """The arm's part of a block after its closed loop."""
        warm_up, totals = self._said()
        return ArmBlock(
            name=self.arm.name,
            copy_of=self.arm.copy_of,
            hops=self.hops,
            check=check_engine_plan(self.answer),
            warm_up=warm_up,
            slices=self.slices,
            totals=totals,
            surroundings=self.surroundings(self.slices),
            memory=self.stack.memory(),
            time_wait=self.time_wait,
        )

    def open(self, share: float, rate_per_s: float) -> OpenLoad:
        """The arm under an offered load."""
        warm_up, totals = self._said()
        return OpenLoad(share=share, rate_per_s=rate_per_s, warm_up=warm_up, slices=self.slices, totals=totals)

    def surroundings(self, slices: list[Slice]) -> Surroundings | None:
        """What the arm ran in, with a note if the load filled its link; None if hopcost did not make it."""
        before = self.stack.surroundings
        if before is None:
            return None
        received = sum(line.received_bytes for line in slices)
        elapsed_ns, answers = sum(line.elapsed_ns for line in slices), sum(line.answers for line in slices)
        return with_link_load(before, received, elapsed_ns, answers=answers)
