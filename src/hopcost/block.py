"""One block: fresh start of every arm, check, warm-up and slices by the engine, stop; its faults are in its record.

It must not know how many blocks there are, or when they are enough.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

import msgspec

from hopcost import check, engine, machine, receipts
from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.network import HOST, Network, Surroundings, with_link_load
from hopcost.plan import Plan, PlannedArm, PlannedExperiment, block_seed
from hopcost.record import ArmBlock, Block, CheckedAnswer, Failure, Writer, now_utc
from hopcost.sandbox import Freezer, Ports
from hopcost.stack import RunningStack
from hopcost.suite import AGAIN, Workload
from hopcost.usage import TimeWait
from hopcost.watcher import Watcher

FOREIGN_AT_MOST = 0.03  # of the CPU time of the cores in use, by programs that are not ours


class Setting(msgspec.Struct, frozen=True):
    """What all blocks of an experiment have in common."""

    plan: Plan
    experiment: PlannedExperiment
    freezer: Freezer
    ports: Ports
    writer: Writer
    watcher: Watcher
    network: Network = HOST


class Ready(msgspec.Struct, frozen=True):
    """An arm that runs and has answered the check."""

    arm: PlannedArm
    stack: RunningStack
    answer: check.Answer


def measure(setting: Setting, arms: list[PlannedArm], number: int, rounds: int) -> Block:
    """Run a block over these arms; never raises for what a program, an arm or the engine does wrong."""
    setting.watcher.block_begins(number)
    with recording(setting, number) as block, contextlib.ExitStack() as stacks:
        ready = start_and_check(setting, arms, block, stacks)
        load(setting, block, ready, rounds)
        judge(setting, block, [each.stack for each in ready])
    return block


@contextlib.contextmanager
def recording(setting: Setting, number: int) -> Iterator[Block]:
    """An empty block to fill in; a fault of the measurement makes it void, with the reason."""
    experiment = setting.experiment.name
    began, steal = time.monotonic_ns(), machine.steal_ns()
    block = Block(
        experiment=experiment,
        number=number,
        seed=block_seed(setting.plan, experiment, number),
        started_utc=now_utc(),
        elapsed_ns=0,
        slices_elapsed_ns=0,
        harness_cpu_ns=0,
        foreign_cpu_ns=0,
        steal_ns=0,
        validity="valid",
        reasons=[],
        failures=[],
    )
    try:
        yield block
    except MeasurementFailed as error:
        block.validity = "void"
        block.reasons.append(error.message + (f"; hint: {error.hint}" if error.hint else ""))
    block.elapsed_ns = time.monotonic_ns() - began
    block.steal_ns = machine.steal_ns() - steal


def start(setting: Setting, arm: PlannedArm, number: int, stacks: contextlib.ExitStack) -> Ready:
    """An arm started anew, kept in the record, and asked once; ArmFailed when it does not answer."""
    experiment = setting.experiment
    setting.watcher.arm_runs(arm.name, "start")
    stack = stacks.enter_context(
        RunningStack(
            arm.name,
            arm.arm,
            experiment.settings,
            experiment.cores,
            setting.freezer,
            setting.ports,
            label=f"{experiment.name}-{number}-{arm.name}",
            network=setting.network,
        )
    )
    setting.writer.put_stack(experiment.name, stack.prepared)
    workload = experiment.workload
    with stack.as_client():
        answer = check.ask(arm.name, stack.prepared.address, workload.target, workload.header_fields)
    return Ready(arm=arm, stack=stack, answer=answer)


def start_and_check(
    setting: Setting, arms: list[PlannedArm], block: Block, stacks: contextlib.ExitStack
) -> list[Ready]:
    """Every arm started anew and compared with the baseline; those that fail are noted in the block.

    The baseline comes first, the others keep the plan's order: it decides nothing, since none is loaded before all are
    checked.
    """
    experiment = setting.experiment
    ready: list[Ready] = []
    for arm in sorted(arms, key=lambda arm: arm.name != experiment.baseline):
        try:
            one = start(setting, arm, block.number, stacks)
            if ready:
                check.compare(experiment.baseline, ready[0].answer, arm.name, one.answer)
        except ArmFailed as error:
            block.failures.append(Failure(arm=arm.name, message=error.message, hint=error.hint))
            if arm.name == experiment.baseline:
                raise MeasurementFailed(f"the baseline {arm.name} failed: {error.message}", error.hint) from error
        else:
            ready.append(one)
    if len(ready) < 2:
        raise MeasurementFailed("no arm is left to compare the baseline with")
    return ready


def load(
    setting: Setting,
    block: Block,
    ready: list[Ready],
    rounds: int,
    slice_ns: dict[str, int] | None = None,
    on_slice: Callable[[engine.Slice], None] | None = None,
) -> None:
    """Hand the arms to the engine and collect what it says into the block.

    `slice_ns` has the arms whose slices have a length of their own; `on_slice` hears of each slice when it has ended.
    """
    experiment, plan = setting.experiment, setting.plan
    work = engine.Plan(
        seed=block.seed,
        cores=experiment.cores.generator,
        slice_ns=experiment.slice_ns,
        settle_ns=experiment.settle_ns,
        rounds=rounds,
        warm_up=engine.WarmUp(least_ns=plan.warm_up_least_ns, most_ns=plan.warm_up_most_ns),
        arms=[engine_arm(each.stack, experiment.workload, each.answer) for each in ready],
    )
    for arm in work.arms:
        arm.slice_ns = (slice_ns or {}).get(arm.name)
    known = {
        pid
        for arm in work.arms
        for hop in arm.hops
        if isinstance(hop.cpu, engine.Processes)
        for pid in hop.cpu.processes
    }
    parts = {each.arm.name: _Part(each) for each in ready}
    observers = {each.arm.name: receipts.Observer(each.stack) for each in ready}
    stacks, cores = [each.stack for each in ready], cores_in_use(experiment)
    others, harness, cpu = busy_outside_ns(stacks, cores), time.process_time_ns(), 0
    with contextlib.closing(engine.run(work)) as lines:
        for line in lines:
            match line:
                case engine.Start():
                    block.engine = line
                    cpu = time.process_time_ns()
                case engine.Opening():
                    if not line.done:
                        doing = f"opened {line.established} of {line.connections} connections of"
                        setting.watcher.arm_runs(line.arm, doing)
                case engine.WarmedUp():
                    setting.watcher.arm_runs(line.arm, "warm-up")
                    parts[line.arm].warm_up = line
                case engine.Slice():
                    setting.watcher.arm_runs(line.arm, "load")
                    parts[line.arm].slices.append(line)
                    block.slices_elapsed_ns += line.elapsed_ns
                    if on_slice is not None:
                        on_slice(line)
                    if line.round == rounds - 1:  # later the engine closes its connections, which would be counted too
                        parts[line.arm].time_wait = parts[line.arm].stack.time_wait()
                case engine.ArmTotals():
                    parts[line.arm].totals = line
                case engine.End():
                    block.end = line
                    block.harness_cpu_ns = time.process_time_ns() - cpu
    harness = time.process_time_ns() - harness
    for stack in stacks:
        fixed = [pids for hop, pids in stack.processes.items() if stack.account_of(hop) is None]
        late = {pid for pids in fixed for pid in pids} - known
        if late:
            raise MeasurementFailed(
                f"{stack.arm} has {len(late)} processes that were not there when load began: {late}",
                "a program whose processes come and go says so (`forks` in its program.toml), and needs a cgroup",
            )
    block.arms = [part.whole() for part in parts.values()]
    for part, each, asked in zip(block.arms, ready, work.arms, strict=True):
        assert part.totals is not None, "whole() raises without them"
        seen = receipts.Load(answers=part.totals.answers, opened=part.totals.opened)
        part.receipts = observers[part.name].receipts(each.answer, asked.request.accepts_gzip, seen)
    if block.end is None:
        raise MeasurementFailed("the load engine ended without its last line")
    others = busy_outside_ns(stacks, cores) - others - block.end.generator_cpu_ns - harness
    block.foreign_cpu_ns = max(0, others)


def judge(setting: Setting, block: Block, stacks: list[RunningStack]) -> None:
    """Faults of the instrument void the block; programs that ended are failures of their arms."""
    assert block.end is not None, "load raises without it"
    block.validity = block.end.validity
    block.reasons += block.end.reasons
    denied = {arm.name: [each.words() for each in arm.receipts if each.holds is False] for arm in block.arms}
    for stack in stacks:
        failure = stack.failure() or "; ".join(denied.get(stack.arm, []))
        if failure:
            block.failures.append(Failure(arm=stack.arm, message=f"under load: {failure}"))
            if stack.arm in (setting.experiment.baseline, setting.experiment.baseline + AGAIN):
                block.validity = "void"
                block.reasons.append(f"{stack.arm}, which the others are compared with, failed under load")
    cores = len(cores_in_use(setting.experiment))
    foreign = block.foreign_cpu_ns / max(1, block.end.elapsed_ns * cores)
    if foreign > FOREIGN_AT_MOST:
        block.validity = "void" if block.validity == "void" else "suspect"
        block.reasons.append(f"other programs took {foreign:.0%} of the CPU time of {cores} cores")


def cores_in_use(experiment: PlannedExperiment) -> list[int]:
    """The cores of the stack and of the generator, each once."""
    return sorted({*experiment.cores.stack, *experiment.cores.generator})


def engine_arm(stack: RunningStack, workload: Workload, expected: check.Answer) -> engine.Arm:
    """A running stack as the engine's plan names it."""
    address = stack.prepared.address
    return engine.Arm(
        name=stack.arm,
        address={"unix" if address.is_unix else "tcp": address.address},
        network_namespace=stack.network_namespace,
        connections=workload.connections,
        tls=engine.Tls(ca_file=address.ca_file) if address.is_tls else None,
        timeout_ns=workload.timeout_s * 1_000_000_000,
        request=engine.request(workload.target, workload.header_fields),
        expect=engine.expect(expected.status, expected.body),
        freeze=stack.freeze,
        hops=[engine.Hop(name=name, cpu=_cpu(stack.account_of(name), pids)) for name, pids in stack.processes.items()],
        requests_per_connection=workload.requests_per_connection,
    )


def checked(answer: check.Answer) -> CheckedAnswer:
    """What the record keeps of an answer."""
    return CheckedAnswer(
        status=answer.status,
        header_bytes=answer.header_bytes,
        body_bytes=len(answer.body),
        header_fields=check.names_of_header_fields(answer),
    )


def _cpu(account: str | None, pids: list[int]) -> engine.Processes | engine.Cgroup:
    """Where a hop's CPU time is read: the clocks of its processes, unless they come and go and a cgroup counts them."""
    return engine.Processes(processes=pids) if account is None else engine.Cgroup(cgroup=account)


def busy_outside_ns(stacks: list[RunningStack], cores: list[int]) -> int:
    """CPU time that these cores have used since boot, without what the stacks' processes have."""
    return machine.busy_ns(cores) - sum(stack.cpu_ns() for stack in stacks)


class _Part:
    """What the engine has said of one arm so far."""

    def __init__(self, ready: Ready) -> None:
        self.arm = ready.arm
        self.hops = [hop.name for hop in ready.stack.prepared.hops]
        self.answer = ready.answer
        self.stack = ready.stack
        self.time_wait: list[TimeWait] = []
        self.warm_up: engine.WarmedUp | None = None
        self.slices: list[engine.Slice] = []
        self.totals: engine.ArmTotals | None = None

    def whole(self) -> ArmBlock:
        if self.warm_up is None or self.totals is None or not self.slices:
            raise MeasurementFailed(f"the load engine said nothing of {self.arm.name}")
        return ArmBlock(
            name=self.arm.name,
            copy_of=self.arm.copy_of,
            hops=self.hops,
            check=checked(self.answer),
            warm_up=self.warm_up,
            slices=self.slices,
            totals=self.totals,
            surroundings=self.surroundings(self.slices),
            memory=self.stack.memory(),
            time_wait=self.time_wait,
        )

    def surroundings(self, slices: list[engine.Slice]) -> Surroundings:
        """What the arm ran in, with a word on its link where the load filled it."""
        given = self.stack.surroundings
        received = sum(each.received_bytes for each in slices)
        elapsed_ns, answers = sum(each.elapsed_ns for each in slices), sum(each.answers for each in slices)
        return with_link_load(given, received, elapsed_ns, answers=answers)
