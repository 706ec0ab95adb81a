"""What the measuring loop needs: clocks, stacks, the engine and the machine. Tests have a rig without any of them."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from hopcost.machine.conditions import Conditions
from hopcost.machine.other_load import OtherPrograms, ProcessTime
from hopcost.plan.plan import PlannedArm, PlannedExperiment
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import End, Line
from hopcost.programs.generators.engine_plan import EnginePlan
from hopcost.record.contents.evidence import GeneratorConditions, Receipt
from hopcost.stacks.attached.request import ask_stack
from hopcost.stacks.attached.stack import AttachedStack
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.host import Host
from hopcost.stacks.running.programs import RestartTimes
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.stack import Stack
from hopcost.stacks.under_load.receipts import LoadShape, Observer
from hopcost.suites.experiments.workload import Workload


class Receipts(Protocol):
    """Watches a stack for signs that its settings are in force."""

    def receipts(self, answer: HttpAnswer, accepts_gzip: bool, load: LoadShape) -> list[Receipt]:
        """After the load."""


class NothingSet:
    """Of a running server hopcost has set nothing."""

    def receipts(self, answer: HttpAnswer, accepts_gzip: bool, load: LoadShape) -> list[Receipt]:  # noqa: ARG002
        """None."""
        return []


class GeneratorUse(NamedTuple):
    """What makes the load: the CPU time that it used on the stacks' machine, and its own machines by name, if any."""

    cpu_ns_here: int
    machines: Mapping[str, GeneratorConditions] = {}


class Rig(Protocol):
    """All that the loop asks of the world."""

    def now_s(self) -> float:
        """The monotonic clock."""

    def sleep_s(self, seconds: float) -> None:
        """Let so much time pass."""

    def own_cpu_ns(self) -> int:
        """CPU time that this process has used."""

    def conditions(self, cores: list[int]) -> Conditions:
        """The machine as it is before or after a block on these cores."""

    def busy_ns(self, cores: list[int]) -> int:
        """CPU time that these cores have used since boot."""

    def processes(self) -> list[ProcessTime]:
        """The CPU time of every process that is visible."""

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        """What other programs take of these cores in the next second; nothing of hopcost's must run meanwhile."""

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        """How long the machine kept one of these cores from a program that only spins."""

    def start(self, arm: PlannedArm, experiment: PlannedExperiment, label: str) -> AbstractContextManager[Stack]:
        """A fresh stack of the arm, ready for requests; ArmFailed if it does not start."""

    def ask(self, stack: Stack, workload: Workload) -> HttpAnswer:
        """One request as the load sends it, and its answer; ArmFailed if there is none."""

    def observe(self, stack: Stack) -> Receipts:
        """Begin to watch what the stack does."""

    def ready_after_s(self, stack: Stack) -> dict[str, float]:
        """By hop of a stack that was started here, how long it took until it was ready."""

    def restart(self, stack: Stack, hop: str) -> RestartTimes:
        """Stop a program of the stack and start it anew; ArmFailed if it does not start."""

    def run_engine(self, plan: EnginePlan) -> Generator[Line]:
        """The engine's lines while it runs."""

    def generator_use(self, end: End) -> GeneratorUse:
        """Of the load that has ended with this line."""


class RealRig:
    """A host and our engine."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def now_s(self) -> float:
        """The monotonic clock."""
        return time.monotonic()

    def sleep_s(self, seconds: float) -> None:
        """On the wall clock."""
        time.sleep(seconds)

    def own_cpu_ns(self) -> int:
        """CPU time of the harness."""
        return time.process_time_ns()

    def conditions(self, cores: list[int]) -> Conditions:
        """The host reads them."""
        return self.host.conditions(cores)

    def busy_ns(self, cores: list[int]) -> int:
        """The host reads it."""
        return self.host.busy_ns(cores)

    def processes(self) -> list[ProcessTime]:
        """The host reads it."""
        return self.host.processes()

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        """The host watches."""
        return self.host.watch_others(cores)

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        """The host measures it."""
        return self.host.longest_stall_ns(cores)

    def start(self, arm: PlannedArm, experiment: PlannedExperiment, label: str) -> AbstractContextManager[Stack]:
        """The arm's programs in a session of the host, or the server that runs already."""
        if arm.arm.server is not None:
            return AttachedStack(arm.name, arm.arm.server, experiment.cores)
        return RunningStack(arm.name, arm.arm, experiment.settings, experiment.cores, self.host, label=label)

    def ask(self, stack: Stack, workload: Workload) -> HttpAnswer:
        """Ask from the load's network namespace. ArmFailed if an app lacks something, and cannot answer without."""
        with stack.as_client():
            answer = ask_stack(stack.prepared, workload)
        if isinstance(stack, RunningStack):
            stack.supply.refuse_error(answer.status)
        return answer

    def observe(self, stack: Stack) -> Receipts:
        """From outside the stack's programs."""
        return Observer(stack) if isinstance(stack, RunningStack) else NothingSet()

    def ready_after_s(self, stack: Stack) -> dict[str, float]:
        """As it was measured when the stack was started."""
        return stack.ready_after_s if isinstance(stack, RunningStack) else {}

    def restart(self, stack: Stack, hop: str) -> RestartTimes:
        """By SIGTERM, as a supervisor does it."""
        assert isinstance(stack, RunningStack), "no restart is planned of a server that runs already"
        return stack.restart(hop)

    def run_engine(self, plan: EnginePlan) -> Generator[Line]:
        """A process of its own."""
        return engine.run_engine(plan)

    def generator_use(self, end: End) -> GeneratorUse:
        """All of it was used here."""
        return GeneratorUse(end.generator_cpu_ns)
