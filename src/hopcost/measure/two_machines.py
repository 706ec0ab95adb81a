"""A run whose generator has a machine of its own, or several: stacks here, engines and the check of answers there."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager

import msgspec

from hopcost.errors import ArmFailed, CannotMeasure, MeasurementFailed, UsageError
from hopcost.machine import facts
from hopcost.machine.other_load import OtherPrograms
from hopcost.measure import run
from hopcost.measure.fleet.generator import GeneratorMachine
from hopcost.measure.fleet.generators import Generators
from hopcost.measure.fleet.reading import MachineChange
from hopcost.measure.fleet.shares import refuse_too_few_connections
from hopcost.measure.fleet.ssh.names import Elsewhere
from hopcost.measure.quiet import busiest
from hopcost.measure.rig import GeneratorUse, RealRig
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import RunOptions
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.programs.generators.engine_lines import End, Line
from hopcost.programs.generators.engine_plan import EnginePlan
from hopcost.record.contents.evidence import GeneratorConditions, OtherProgram
from hopcost.record.contents.question import KeptQuestion
from hopcost.stacks.attached.request import ask_stack
from hopcost.stacks.client.address import LOOPBACK
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.host import Host
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.stack import Stack
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite


def measure_from_elsewhere(
    suite: Suite,
    chosen: list[str],
    options: RunOptions,
    elsewhere: Elsewhere,
    run_watcher: RunWatcher,
    question: KeptQuestion | None = None,
) -> run.Measured:
    """As `run.measure`, loaded from the generator's machine; the options must have a seed."""
    if options.one_arm_at_a_time:
        raise UsageError("--on: only hopcost's own engine runs on another machine", "leave --generator or --on out")
    with Generators(elsewhere) as generators:
        here = run.look_around(suite, options, run_watcher, generators.limits)
        plan = make_plan(suite, chosen, options, here.limits)
        _refuse_without_python(plan, generators)
        refuse_too_few_connections(plan, len(generators.machines))
        host, environment = run.open_host(here, run_watcher, generators.address)
        environment["generator_machines"] = generators.environment()
        run.try_settings(plan, host.network)
        rig = TwoMachinesRig(host, generators)
        return run.record_plan(suite, plan, options.folder, environment, rig, run_watcher, question)


def _refuse_without_python(plan: Plan, generators: Generators) -> None:
    machine = generators.without_python
    if machine is not None and any(experiment.loads for experiment in plan.experiments):
        raise CannotMeasure(
            f"{machine}: an offered load needs python3 there, which looks for how long its cores stand still",
            "apt-get install python3-minimal there",
        )


class TwoMachinesRig(RealRig):
    """This machine's host for the stacks, and the engines elsewhere."""

    def __init__(self, host: Host, generators: Generators) -> None:
        super().__init__(host)
        self.generators = generators
        self._stack_cores: list[int] = []

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        """On all machines, one after the other; the busiest one counts."""
        return max(self.host.watch_others(cores), self.generators.watch_others(), key=lambda others: others.share)

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        """Of the generators' cores, on their machines."""
        self.generators.ensure()
        return self.generators.longest_stall_ns(cores, METHOD.stall_look_ns)

    def start(self, arm: PlannedArm, experiment: PlannedExperiment, label: str) -> AbstractContextManager[Stack]:
        """Here. A connection that was lost in an earlier block is made anew; CannotMeasure if it cannot."""
        self.generators.ensure()
        self._stack_cores = experiment.cores.stack
        return super().start(arm, experiment, label)

    def ask(self, stack: Stack, workload: Workload) -> HttpAnswer:
        """The first machine's answer; all ask through their SSH servers, and on the way that the load takes."""
        answer, *_ = [_ask_from(machine, stack, workload) for machine in self.generators.machines]
        if isinstance(stack, RunningStack):
            stack.supply.refuse_error(answer.status)
        return answer

    def run_engine(self, plan: EnginePlan) -> Generator[Line]:
        """There; the agent here has the cores that the stacks leave."""
        free = [core for core in facts.allowed_cores() if core not in self._stack_cores]
        return self.generators.run_engine(plan, free)

    def generator_use(self, end: End) -> GeneratorUse:  # noqa: ARG002 - what the engines used, they used there
        """The agent's CPU time, and what the generators' machines did meanwhile."""
        load = self.generators.last_load
        assert load is not None, "the engines have ended well"
        return GeneratorUse(load.agent_cpu_ns, {name: _conditions(change) for name, change in load.machines.items()})


def _ask_from(machine: GeneratorMachine, stack: Stack, workload: Workload) -> HttpAnswer:
    prepared = stack.prepared
    address = prepared.address
    assert address.port is not None, "arms on Unix sockets are left out of the plan"
    with machine.forwarded(address.host, address.port) as port:
        near = msgspec.structs.replace(
            address, address=f"{LOOPBACK}:{port}", server_name=address.server_name or address.host
        )
        first = msgspec.structs.replace(prepared.hops[0], address=near)
        forwarded = msgspec.structs.replace(prepared, hops=[first, *prepared.hops[1:]])
        try:
            return ask_stack(forwarded, workload)
        except ArmFailed as error:
            if machine.is_lost:
                raise MeasurementFailed(f"{machine.name}: the connection is lost") from error
            message = error.message.replace(near.address, address.address)
            raise ArmFailed(error.arm, f"from {machine.name}: {message}", error.hint) from error.__cause__


def _conditions(change: MachineChange) -> GeneratorConditions:
    others = [OtherProgram(program.name, program.pid, program.cpu_ns) for program in change.others]
    return GeneratorConditions(
        elapsed_ns=change.elapsed_ns,
        foreign_cpu_ns=change.foreign_cpu_ns,
        steal_ns=change.steal_ns,
        throttled_ns=change.throttled_ns,
        swapped_pages=change.swapped_pages,
        others=busiest(others),
    )
