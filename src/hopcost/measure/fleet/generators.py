"""The generators of a run: one machine, or several that make one load. An agent here times the slices of the stacks."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed, UsageError
from hopcost.machine.other_load import OtherPrograms
from hopcost.measure.fleet.agent import Agent, refusal_of
from hopcost.measure.fleet.authority import (
    AUTHORITY,
    STACKS,
    certificate_of,
    generator_names,
    key_of,
    make_certificates,
)
from hopcost.measure.fleet.edges import Builds, order_of, plan_elsewhere, trusted_files
from hopcost.measure.fleet.generator import GeneratorMachine
from hopcost.measure.fleet.merge import merged
from hopcost.measure.fleet.reading import MachineChange
from hopcost.measure.fleet.shares import share_of
from hopcost.measure.fleet.ssh.names import Elsewhere
from hopcost.measure.fleet.ssh.scripts import Finished
from hopcost.plan.cores import GeneratorLimits
from hopcost.programs.generators.engine_lines import Line
from hopcost.programs.generators.engine_plan import EnginePlan
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX

LOOK_S = 1.0  # between two looks for an end that nobody announces
AGENT_LEFT_S = 10.0  # the engines' time to notice that the agent is gone: they are patient for 7 s


class Said(NamedTuple):
    """What the engine of the machine at this place has written, or that it has ended."""

    place: int
    what: bytes | Finished


class AgentGone(NamedTuple):
    """The agent has ended."""


Event = Said | AgentGone


class LoadThere(NamedTuple):
    """What a load cost besides the stacks: what each generator's machine did, and the agent's CPU time on this one."""

    machines: dict[str, MachineChange]
    agent_cpu_ns: int


class Generators:
    """All machines that load the stacks here. A context manager; at its end nothing is left on them.

    CannotMeasure with what to do if one cannot be used.
    """

    def __init__(self, elsewhere: Elsewhere) -> None:
        self.last_load: LoadThere | None = None
        self._open = contextlib.ExitStack()
        self.machines: list[GeneratorMachine] = []
        with self._open:
            address = elsewhere.address
            for name, login in elsewhere.names.items():
                machine = GeneratorMachine(name, login, elsewhere.access, address)
                self.machines.append(self._open.enter_context(machine))
                address = machine.address  # stacks listen on one address, which all must reach
            _refuse_one_machine_twice(self.machines)
            self.limits = GeneratorLimits(self.name, _cores_in_common(self.machines))
            self._open = self._open.pop_all()

    def __enter__(self) -> Generators:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.close()

    @property
    def names(self) -> list[str]:
        """Of the machines, as `--on` has them."""
        return [machine.name for machine in self.machines]

    @property
    def name(self) -> str:
        """`bench2`, `bench2 and bench3`."""
        return " and ".join(self.names)

    @property
    def address(self) -> str:
        """Where they reach this machine."""
        return self.machines[0].address

    @property
    def without_python(self) -> str | None:
        """A machine that has no python3; None if all have it."""
        return next((machine.name for machine in self.machines if not machine.facts.has_python), None)

    def environment(self) -> list[dict[str, object]]:
        """What a record keeps of them."""
        return [machine.environment() for machine in self.machines]

    def ensure(self) -> None:
        """Log in again if a connection was lost; CannotMeasure if that fails."""
        for machine in self.machines:
            machine.ensure()

    def watch_others(self) -> OtherPrograms:
        """What other programs take, of the machine where they take most."""
        return max((machine.watch_others() for machine in self.machines), key=lambda others: others.share)

    def longest_stall_ns(self, cores: Sequence[int], look_ns: int) -> int:
        """How long one core of any machine stood still for a program that only spins."""
        return max(machine.longest_stall_ns(cores, look_ns) for machine in self.machines)

    def run_engine(self, plan: EnginePlan, agent_cores: Sequence[int]) -> Generator[Line, None, None]:
        """Run the plan on all machines, and yield lines as one engine writes them; closing the iterator ends them all.

        The arms' stacks run here. The agent takes these cores. CannotMeasure or MeasurementFailed if one fails.
        """
        self.last_load = None
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        names = generator_names(len(self.machines))
        certificates = make_certificates([STACKS, *names])
        trusted = {file: f"trusted-{number}.pem" for number, file in enumerate(trusted_files(plan))}
        contents = {name: Path(file).read_bytes() for file, name in trusted.items()}
        for name, machine in zip(names, self.machines, strict=True):
            own = {file: certificates[file] for file in (AUTHORITY, certificate_of(name), key_of(name))}
            machine.put(contents | own)
        before = [machine.read() for machine in self.machines]
        with self._agent(plan, certificates, names, agent_cores, events) as agent:
            try:
                for place, (name, machine) in enumerate(zip(names, self.machines, strict=True)):
                    authorities = {file: str(machine.folder / trusted_as) for file, trusted_as in trusted.items()}
                    there = plan_elsewhere(plan, agent.address, machine.folder, authorities, generator=name)
                    hear = _hearing(events, place)
                    machine.start_engine(share_of(there, place, len(names)), hear, hear)
                yield from merged(self._lines(events, agent), self.names)
            finally:
                for machine in self.machines:
                    machine.stop_engine()
        changes = [
            machine.change_since(earlier, plan.cores) for machine, earlier in zip(self.machines, before, strict=True)
        ]
        self.last_load = LoadThere(dict(zip(self.names, changes, strict=True)), agent.cpu_ns)

    def _agent(
        self,
        plan: EnginePlan,
        certificates: Mapping[str, bytes],
        names: Sequence[str],
        cores: Sequence[int],
        events: queue.SimpleQueue[Event],
    ) -> Agent:
        """An agent that listens; its key is on the disk no longer than it takes to read it."""
        is_same = all(machine.engine.builds is Builds.SAME for machine in self.machines)
        builds = Builds.SAME if is_same else Builds.ANY
        with tempfile.TemporaryDirectory(prefix=f"{CGROUP_PREFIX}{leftovers.owner()}-") as folder:
            for name in (AUTHORITY, certificate_of(STACKS), key_of(STACKS)):
                file = Path(folder) / name
                file.touch(mode=0o600)
                file.write_bytes(certificates[name])
            order = order_of(plan, f"{self.address}:0", Path(folder), generators=names, builds=builds)
            return Agent(order, cores, on_end=lambda: events.put(AgentGone()))

    def _lines(self, events: queue.SimpleQueue[Event], agent: Agent) -> Iterator[tuple[int, Line]]:
        """Each with its machine's place, until all engines have ended well."""
        decoder = msgspec.json.Decoder(Line)
        buffered = [b""] * len(self.machines)
        running = len(self.machines)
        gives_up_s: float | None = None  # when the engines must have noticed that the agent is gone
        while running:
            try:
                event = events.get(timeout=LOOK_S)
            except queue.Empty:
                if gives_up_s is not None and time.monotonic() > gives_up_s:
                    raise MeasurementFailed(f"the agent on this machine ended: {self._why_ended(agent)}") from None
                continue
            match event:
                case Said(place, bytes() as chunk):
                    *lines, buffered[place] = (buffered[place] + chunk).split(b"\n")
                    for line in lines:
                        yield place, decoder.decode(line)
                case AgentGone():
                    gives_up_s = time.monotonic() + AGENT_LEFT_S
                case Said(_, Finished(status=0)):
                    running -= 1
                case Said(place, Finished() as ended):
                    raise self._failure(self.machines[place], ended, agent)

    def _failure(self, machine: GeneratorMachine, ended: Finished, agent: Agent) -> CannotMeasure | MeasurementFailed:
        refused = refusal_of(agent)
        if refused is not None and ended.status == CannotMeasure.exit_code:
            return refused
        error = machine.failure_of(ended)
        if ended.status is None:
            return error
        if len(self.machines) > 1 and agent.has_lost_one():  # this machine's engine may have ended because of another's
            return MeasurementFailed(f"one of the generators was lost: {self._why_ended(agent)}")
        end = f" (the agent here ended: {self._why_ended(agent)})" if agent.has_ended else ""
        return type(error)(f"{error.message}{end}", error.hint)

    def _why_ended(self, agent: Agent) -> str:
        """With the machines' names in place of those in their certificates."""
        why = agent.why_ended()
        for own, machine in zip(generator_names(len(self.machines)), self.names, strict=True):
            why = why.replace(f"`{own}`", machine)
        return why


def _hearing(events: queue.SimpleQueue[Event], place: int) -> Callable[[bytes | Finished], None]:
    return lambda what: events.put(Said(place, what))


def _refuse_one_machine_twice(machines: Sequence[GeneratorMachine]) -> None:
    """Under two names its engines would share cores, and neither would be another program to the other."""
    seen: dict[tuple[str, int], str] = {}
    for machine in machines:
        first = seen.setdefault(machine.peer, machine.name)
        if first != machine.name:
            raise UsageError(f"{first} and {machine.name} are one machine", "name each machine once")


def _cores_in_common(machines: Sequence[GeneratorMachine]) -> list[int]:
    """The core numbers that all have; CannotMeasure if there is none."""
    first, *others = machines
    common = [core for core in first.cores if all(core in machine.cores for machine in others)]
    if not common:
        raise CannotMeasure(
            "the generators' machines have no core number in common", "start their SSH servers on the same"
        )
    return common
