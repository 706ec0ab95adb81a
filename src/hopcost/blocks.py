"""The measuring loop: blocks of an experiment until they are precise enough, or the budget is spent.

A block: fresh start of every arm, check, warm-up, rounds, stop. Faults of the instrument make a block void and it is
done again; an arm that fails leaves the experiment with its reason.
"""

from __future__ import annotations

import contextlib
import time
from typing import Protocol

from hopcost import check, engine, machine, summary
from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.plan import (
    BLOCK_OVERHEAD_S_PER_ARM,
    FULL_ROUNDS,
    Plan,
    PlannedArm,
    PlannedExperiment,
    block_seed,
    rounds_for_block,
)
from hopcost.record import ArmBlock, Block, CheckedAnswer, Ending, Failure, Writer, now_utc
from hopcost.sandbox import Freezer, Ports, raise_open_files
from hopcost.stack import RunningStack
from hopcost.suite import Workload

OUTSIDE_AT_MOST = 0.01  # of an arm's own CPU, used while it was meant to be frozen
FOREIGN_AT_MOST = 0.03  # of the CPU time of the cores in use, by programs that are not ours
VOID_BLOCKS_AT_MOST = 3
SPARE_FILES = 256


class Watcher(Protocol):
    """Who is told how far it is; it must be cheap, since slices run meanwhile."""

    def experiment_begins(self, experiment: PlannedExperiment, blocks: int, deadline: float) -> None:
        """`deadline` on the monotonic clock, in seconds."""

    def block_begins(self, number: int) -> None:
        """Blocks count from 0."""

    def arm_runs(self, arm: str, doing: str) -> None:
        """The arm that is started, warmed up or loaded now."""

    def block_ends(self, block: Block) -> None:
        """The block as recorded."""


def measure(plan: Plan, freezer: Freezer, writer: Writer, watcher: Watcher) -> bool:
    """Run all experiments of the plan into the record; whether nothing that was measured failed."""
    ends = time.monotonic() + plan.budget_s
    all_well = True
    for number, experiment in enumerate(plan.experiments):
        share = (ends - time.monotonic()) / (len(plan.experiments) - number)
        loop = _Experiment(plan, experiment, freezer, writer, watcher, time.monotonic() + share)
        try:
            ending = loop.run()
        except KeyboardInterrupt:
            with contextlib.suppress(MeasurementFailed):
                writer.end_experiment(Ending(experiment=experiment.name, why="interrupted"))
            raise
        writer.end_experiment(ending)
        all_well = all_well and ending.why != "failed" and not loop.failed_arms
    return all_well


class _Experiment:
    """The loop over the blocks of one experiment, and what it has learned so far."""

    def __init__(
        self,
        plan: Plan,
        experiment: PlannedExperiment,
        freezer: Freezer,
        writer: Writer,
        watcher: Watcher,
        deadline: float,
    ) -> None:
        self.plan = plan
        self.experiment = experiment
        self.freezer = freezer
        self.writer = writer
        self.watcher = watcher
        self.deadline = deadline
        self.ports = Ports()
        self.failed_arms: set[str] = set()
        self.valid: list[Block] = []
        self.void = 0
        self.overheads_s: list[float] = []

    @property
    def arms(self) -> list[PlannedArm]:
        return [arm for arm in self.experiment.arms if arm.name not in self.failed_arms]

    def run(self) -> Ending:
        experiment, looks = self.experiment, self.plan.looks
        raise_open_files(experiment.workload.connections * len(experiment.arms) + SPARE_FILES)
        self.watcher.experiment_begins(experiment, looks[-1], self.deadline)
        while len(self.valid) < looks[-1]:
            if len(self.valid) in looks and self._precise():
                return self._ending("precision", f"every ratio is within ±{self.plan.target_width:.0%}")
            rounds = self._rounds()
            if rounds == 0 and self.valid:
                return self._ending("budget", f"{len(self.valid)} blocks in the time given")
            block = self._block(len(self.valid) + self.void, max(rounds, 2))
            self.writer.append(block)
            self.watcher.block_ends(block)
            self.failed_arms |= {failure.arm for failure in block.failures}
            if experiment.baseline in self.failed_arms or len(self.arms) < 2:
                return self._ending(
                    "failed", "the baseline failed" if experiment.baseline in self.failed_arms else "no arm is left"
                )
            if block.validity != "void":
                self.valid.append(block)
            elif not block.failures:
                self.void += 1
                if self.void > VOID_BLOCKS_AT_MOST:
                    return self._ending("failed", f"{self.void} void blocks: {'; '.join(block.reasons)}")
        return self._ending("blocks", f"all {looks[-1]} blocks are done")

    def _ending(self, why: str, detail: str) -> Ending:
        return Ending(experiment=self.experiment.name, why=why, detail=detail)

    def _precise(self) -> bool:
        widths = summary.widths(self.experiment, self.valid, len(self.plan.looks))
        return bool(widths) and all(width is not None and width <= self.plan.target_width for width in widths)

    def _rounds(self) -> int:
        """Rounds of the next block: in the time left each look's block gets its share."""
        overhead = max(self.overheads_s[-3:], default=BLOCK_OVERHEAD_S_PER_ARM * len(self.arms))
        quick = self.plan.quick
        blocks_left = (
            max(1, self.plan.looks[0] - len(self.valid)) if quick or len(self.valid) < self.plan.looks[0] else 1
        )
        return rounds_for_block(
            seconds_left=self.deadline - time.monotonic(),
            blocks_left=blocks_left,
            overhead_s=overhead,
            round_s=self.plan.slice_ns * len(self.arms) / 1e9 * 1.03,
            at_most=FULL_ROUNDS,
        )

    def _block(self, number: int, rounds: int) -> Block:
        """One block, whatever becomes of it: its faults are in it."""
        self.watcher.block_begins(number)
        began, steal = time.monotonic_ns(), machine.steal_ns()
        block = Block(
            experiment=self.experiment.name,
            number=number,
            seed=block_seed(self.plan, self.experiment.name, number),
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
            with contextlib.ExitStack() as stacks:
                self._load(block, self._start_and_check(block, stacks), rounds)
        except MeasurementFailed as error:
            block.validity = "void"
            block.reasons.append(error.message)
        block.elapsed_ns = time.monotonic_ns() - began
        block.steal_ns = machine.steal_ns() - steal
        if block.slices_elapsed_ns:
            self.overheads_s.append((block.elapsed_ns - block.slices_elapsed_ns) / 1e9)
        return block

    def _start_and_check(
        self, block: Block, stacks: contextlib.ExitStack
    ) -> list[tuple[PlannedArm, RunningStack, check.Answer]]:
        """Every arm started anew and compared with the baseline; those that fail are noted in the block.

        The arms keep the plan's order here: it decides nothing, since none is loaded before all are checked.
        """
        experiment = self.experiment
        ready: list[tuple[PlannedArm, RunningStack, check.Answer]] = []
        for arm in sorted(self.arms, key=lambda arm: arm.name != experiment.baseline):
            self.watcher.arm_runs(arm.name, "start")
            try:
                stack = stacks.enter_context(
                    RunningStack(
                        arm.name,
                        arm.arm,
                        experiment.settings,
                        experiment.cores,
                        self.freezer,
                        self.ports,
                        label=f"{experiment.name}-{arm.name}",
                    )
                )
                self.writer.put_stack(experiment.name, stack.prepared)
                answer = check.ask(arm.name, stack.prepared.address, experiment.workload.target)
                if ready:
                    check.compare(experiment.baseline, ready[0][2], arm.name, answer)
            except ArmFailed as error:
                block.failures.append(Failure(arm=arm.name, message=error.message, hint=error.hint))
                if arm.name == experiment.baseline:
                    raise MeasurementFailed(f"the baseline {arm.name} failed: {error.message}", error.hint) from error
            else:
                ready.append((arm, stack, answer))
        if len(ready) < 2:
            raise MeasurementFailed("no arm is left to compare the baseline with")
        return ready

    def _load(self, block: Block, ready: list[tuple[PlannedArm, RunningStack, check.Answer]], rounds: int) -> None:
        """Hand the arms to the engine and collect what it says into the block."""
        experiment, plan = self.experiment, self.plan
        workload = experiment.workload
        load = engine.Plan(
            seed=block.seed,
            cores=experiment.cores.generator,
            slice_ns=plan.slice_ns,
            rounds=rounds,
            warm_up=engine.WarmUp(least_ns=plan.warm_up_least_ns, most_ns=plan.warm_up_most_ns),
            arms=[engine_arm(stack, workload, answer) for _, stack, answer in ready],
        )
        parts = {arm.name: _Part(arm, stack, answer) for arm, stack, answer in ready}
        stacks = [stack for _, stack, _ in ready]
        cpu, others = time.process_time_ns(), _busy_outside_ns(stacks)
        with contextlib.closing(engine.run(load)) as lines:
            for line in lines:
                match line:
                    case engine.Start():
                        block.engine = line
                    case engine.WarmedUp():
                        self.watcher.arm_runs(line.arm, "warm-up")
                        parts[line.arm].warm_up = line
                    case engine.Slice():
                        self.watcher.arm_runs(line.arm, "load")
                        parts[line.arm].slices.append(line)
                        block.slices_elapsed_ns += line.elapsed_ns
                    case engine.ArmTotals():
                        parts[line.arm].totals = line
                    case engine.End():
                        block.end = line
        block.harness_cpu_ns = time.process_time_ns() - cpu
        block.arms = [part.whole() for part in parts.values()]
        generator_ns = block.end.generator_cpu_ns if block.end is not None else 0
        others = _busy_outside_ns(stacks) - others - generator_ns - block.harness_cpu_ns
        block.foreign_cpu_ns = max(0, others)
        self._judge(block, stacks)

    def _judge(self, block: Block, stacks: list[RunningStack]) -> None:
        """Faults of the instrument void the block; programs that ended are failures of their arms."""
        assert block.end is not None, "the engine ended well, so it said so"
        block.validity = block.end.validity
        block.reasons += block.end.reasons
        for stack in stacks:
            failure = stack.failure()
            if failure is not None:
                block.failures.append(Failure(arm=stack.arm, message=f"under load: {failure}"))
        self._judge_foreign_load(block)
        for arm in block.arms:
            inside = sum(sum(each.cpu_ns.values()) for each in arm.slices)
            outside = sum(sum(each.cpu_outside_ns.values()) for each in arm.slices)
            if outside > OUTSIDE_AT_MOST * inside:
                block.validity = "void"
                block.reasons.append(
                    f"{arm.name} used {outside / 1e6:.1f} ms of CPU outside its own slices,"
                    f" {outside / max(inside, 1):.1%} of the {inside / 1e6:.0f} ms inside"
                )

    def _judge_foreign_load(self, block: Block) -> None:
        """Other programs' load on the cores that measure makes a block suspect."""
        assert block.end is not None, "judged after the engine ended well"
        cores = len({*self.experiment.cores.stack, *self.experiment.cores.generator})
        share = block.foreign_cpu_ns / (block.end.elapsed_ns * cores)
        if share > FOREIGN_AT_MOST:
            block.validity = "void" if block.validity == "void" else "suspect"
            block.reasons.append(f"other programs took {share:.0%} of the CPU time of {cores} cores")


def engine_arm(stack: RunningStack, workload: Workload, expected: check.Answer) -> engine.Arm:
    """A running stack as the engine's plan names it."""
    address = stack.prepared.address
    return engine.Arm(
        name=stack.arm,
        address={"unix" if address.is_unix else "tcp": address.address},
        connections=workload.connections,
        timeout_ns=workload.timeout_s * 1_000_000_000,
        request=engine.request(workload.target),
        expect=engine.expect(expected.status, expected.body),
        freeze=stack.freeze,
        hops=[engine.Hop(name=name, cpu=engine.Processes(processes=pids)) for name, pids in stack.processes.items()],
    )


def _busy_outside_ns(stacks: list[RunningStack]) -> int:
    """CPU time that the machine has used since boot, without what the stacks' processes have."""
    return machine.busy_ns() - sum(stack.cpu_ns() for stack in stacks)


class _Part:
    """What the engine has said of one arm so far."""

    def __init__(self, arm: PlannedArm, stack: RunningStack, answer: check.Answer) -> None:
        self.arm = arm
        self.hops = [hop.name for hop in stack.prepared.hops]
        self.answer = answer
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
            check=CheckedAnswer(
                status=self.answer.status,
                header_bytes=self.answer.header_bytes,
                body_bytes=len(self.answer.body),
                header_fields=check.names_of_header_fields(self.answer),
            ),
            warm_up=self.warm_up,
            slices=self.slices,
            totals=self.totals,
        )
