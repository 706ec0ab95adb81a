"""The generator's machine: the load engine runs there and loads stacks of this machine, whose slices an agent times."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import NamedTuple

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.machine.other_load import WATCHED_S, OtherPrograms
from hopcost.measure.fleet import reading, scripts
from hopcost.measure.fleet.address import require_reached
from hopcost.measure.fleet.agent import Agent, refusal_of
from hopcost.measure.fleet.authority import AUTHORITY, GENERATOR, STACKS, certificate_of, key_of, make_certificates
from hopcost.measure.fleet.connection import Connection
from hopcost.measure.fleet.edges import order_of, plan_elsewhere, trusted_files
from hopcost.measure.fleet.names import Elsewhere
from hopcost.measure.fleet.reading import MachineChange, MachineFacts, MachineReading
from hopcost.measure.fleet.scripts import Finished
from hopcost.measure.fleet.sent_engine import SentEngine, send_engine
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_lines import Line
from hopcost.programs.generators.engine_plan import EnginePlan
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX

LOOK_S = 1.0  # between two looks for an end that nobody announces
STOP_S = 5.0
AGENT_LEFT_S = 10.0  # the engine's time to notice that the agent is gone: it is patient for 7 s


class AgentGone(NamedTuple):
    """The agent has ended."""


Event = bytes | Finished | AgentGone


class LoadThere(NamedTuple):
    """What a load cost besides the stacks: what the generator's machine did, and the agent's CPU time on this one."""

    machine: MachineChange
    agent_cpu_ns: int


class GeneratorMachine:
    """A machine that is logged in to and has the engine. A context manager; at its end nothing of it is left there.

    CannotMeasure with what to do if it cannot be used.
    """

    def __init__(self, elsewhere: Elsewhere) -> None:
        self._elsewhere = elsewhere
        self.last_load: LoadThere | None = None
        self._log_in()

    def __enter__(self) -> GeneratorMachine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()

    @property
    def name(self) -> str:
        """As `--on` has it."""
        return self._elsewhere.generator.host

    @property
    def cores(self) -> list[int]:
        """The cores that the engine may use there."""
        return self.facts.allowed_cores

    def environment(self) -> dict[str, object]:
        """What a record keeps of it."""
        engine_facts = {"engine_sha256": self.engine.sha256, "engine": self.engine.version}
        return {"name": self.name, **msgspec.structs.asdict(self.facts), **engine_facts, "stacks_address": self.address}

    def ensure(self) -> None:
        """Log in again if the connection was lost; CannotMeasure if that fails."""
        if self._connection.is_lost:
            self._connection.close()
            self._log_in()

    def forwarded(self, host: str, port: int) -> contextlib.AbstractContextManager[int]:
        """A port of this machine's loopback that leads there, and from there to host and port."""
        return self._connection.forwarded(host, port)

    @property
    def is_lost(self) -> bool:
        """Whether the connection was lost."""
        return self._connection.is_lost

    def watch_others(self) -> OtherPrograms:
        """What other programs take of its cores in the next second."""
        before = self._read()
        time.sleep(WATCHED_S)
        change = reading.change(before, self._read(), self.cores, PurePosixPath(self.engine.path).name)
        programs = [program._replace(name=f"{program.name} on {self.name}") for program in change.others]
        share = change.foreign_cpu_ns / (max(1, change.elapsed_ns) * len(self.cores))
        return OtherPrograms(share, change.elapsed_ns, programs)

    def longest_stall_ns(self, cores: Sequence[int], look_ns: int) -> int:
        """How long one of its cores stood still for a program that only spins."""
        words = [str(look_ns), *map(str, cores)]
        done = self._connection.run(scripts.STALL, *words, data=scripts.STALL_PROGRAM)
        if done.status != 0 or not done.output.strip().isdigit():
            raise MeasurementFailed(f"{self.name}: its cores cannot be looked at: {done.last_line}")
        return int(done.output)

    def run_engine(self, plan: EnginePlan, agent_cores: Sequence[int]) -> Generator[Line, None, None]:
        """Run the plan there, and yield the engine's lines as they come; closing the iterator ends the engine.

        Its arms' stacks run here. The agent takes these cores. CannotMeasure or MeasurementFailed if it fails.
        """
        self.last_load = None
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        certificates = make_certificates()
        trusted = {file: f"trusted-{number}.pem" for number, file in enumerate(trusted_files(plan))}
        own = {name: certificates[name] for name in (AUTHORITY, certificate_of(GENERATOR), key_of(GENERATOR))}
        self._put({name: Path(file).read_bytes() for file, name in trusted.items()} | own)
        before = self._read()
        with self._agent(plan, certificates, agent_cores, events) as agent:
            authorities = {file: f"{self._folder}/{name}" for file, name in trusted.items()}
            there = plan_elsewhere(plan, agent.address, PurePosixPath(self._folder), authorities)
            self._connection.start(
                scripts.RUN_ENGINE,
                self._folder,
                self.engine.path,
                data=msgspec.json.encode(there),
                on_output=events.put,
                on_end=events.put,
            )
            try:
                yield from self._lines(events, agent)
            finally:
                self._stop_engine()
        change = reading.change(before, self._read(), plan.cores, PurePosixPath(self.engine.path).name)
        self.last_load = LoadThere(change, agent.cpu_ns)

    def _stop_engine(self) -> None:
        """Also if it has ended. A connection that does not answer is given up: the next block makes a new one."""
        if not self._connection.is_lost:
            try:
                self._connection.run(scripts.STOP_ENGINE, self._folder, at_most_s=STOP_S)
            except MeasurementFailed:
                self._connection.close()

    def _agent(
        self,
        plan: EnginePlan,
        certificates: Mapping[str, bytes],
        cores: Sequence[int],
        events: queue.SimpleQueue[Event],
    ) -> Agent:
        """An agent that listens; its key is on the disk no longer than it takes to read it."""
        with tempfile.TemporaryDirectory(prefix=f"{CGROUP_PREFIX}{leftovers.owner()}-") as folder:
            for name in (AUTHORITY, certificate_of(STACKS), key_of(STACKS)):
                file = Path(folder) / name
                file.touch(mode=0o600)
                file.write_bytes(certificates[name])
            order = order_of(plan, f"{self.address}:0", Path(folder), builds=self.engine.builds)
            return Agent(order, cores, on_end=lambda: events.put(AgentGone()))

    def _lines(self, events: queue.SimpleQueue[Event], agent: Agent) -> Generator[Line, None, None]:
        decoder, buffered = msgspec.json.Decoder(Line), b""
        gives_up_s: float | None = None  # when the engine must have noticed that the agent is gone
        while True:
            try:
                event = events.get(timeout=LOOK_S)
            except queue.Empty:
                if gives_up_s is not None and time.monotonic() > gives_up_s:
                    raise MeasurementFailed(f"the agent on this machine ended: {agent.why_ended()}") from None
                continue
            match event:
                case bytes():
                    *lines, buffered = (buffered + event).split(b"\n")
                    for line in lines:
                        yield decoder.decode(line)
                case AgentGone():
                    gives_up_s = time.monotonic() + AGENT_LEFT_S
                case Finished(status=0):
                    return
                case Finished():
                    raise self._failure(event, agent)

    def _failure(self, ended: Finished, agent: Agent) -> CannotMeasure | MeasurementFailed:
        refused = refusal_of(agent)
        if refused is not None and ended.status == CannotMeasure.exit_code:
            return refused
        if ended.status is None:
            words = ended.errors.strip() or "it was killed"
            return MeasurementFailed(f"the load engine on {self.name} ended: {words}")
        error = engine.failure_of(ended.status, ended.errors)
        end = f" (the agent here ended: {agent.why_ended()})" if agent.has_ended else ""
        return type(error)(f"{self.name}: {error.message}{end}", error.hint)

    def _log_in(self) -> None:
        login = self._elsewhere.generator
        self._connection = Connection(GENERATOR, login, self._elsewhere.access)
        try:
            self.facts: MachineFacts = reading.parse_facts(self._connection.run(scripts.FACTS).output)
            self.engine: SentEngine = send_engine(self._connection, self.facts)
            self.address = self._elsewhere.address or self._connection.local_address
            require_reached(self._connection, self.address)
            self._folder = self._connection.hold(scripts.HOLD, str(scripts.LEASE_S), beat_s=scripts.BEAT_S)
        except BaseException:
            self._connection.close()
            raise

    def _put(self, files: Mapping[str, bytes]) -> None:
        done = self._connection.run(scripts.PUT_FILES, self._folder, data=scripts.packed(files))
        if done.status != 0:
            raise MeasurementFailed(f"{self.name}: files cannot be put into {self._folder}: {done.last_line}")

    def _read(self) -> MachineReading:
        return reading.parse_reading(self._connection.run(scripts.READ).output)
