"""A generator's machine: logged in to, given the load engine, read, told to load, and left as it was found."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from types import TracebackType

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.machine.other_load import WATCHED_S, OtherPrograms
from hopcost.measure.fleet import reading
from hopcost.measure.fleet.address import require_reached
from hopcost.measure.fleet.authority import GENERATOR
from hopcost.measure.fleet.reading import MachineChange, MachineFacts, MachineReading
from hopcost.measure.fleet.sent_engine import SentEngine, send_engine
from hopcost.measure.fleet.ssh import scripts
from hopcost.measure.fleet.ssh.connection import Connection
from hopcost.measure.fleet.ssh.names import Access, Login
from hopcost.measure.fleet.ssh.scripts import Finished
from hopcost.programs.generators import engine
from hopcost.programs.generators.engine_plan import EnginePlan

STOP_S = 5.0


class GeneratorMachine:
    """A machine that is logged in to and has the engine. A context manager; at its end nothing of it is left there.

    It reaches this machine at `address`; None: where its SSH server sees it. CannotMeasure with what to do if it cannot
    be used.
    """

    def __init__(self, name: str, login: Login, access: Access, address: str | None = None) -> None:
        self.name = name
        self._login, self._access, self._address = login, access, address
        self._log_in()

    def __enter__(self) -> GeneratorMachine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()

    @property
    def cores(self) -> list[int]:
        """The cores that the engine may use there."""
        return self.facts.allowed_cores

    @property
    def peer(self) -> tuple[str, int]:
        """Where its SSH server is, whatever name led there."""
        return self._connection.peer

    @property
    def folder(self) -> PurePosixPath:
        """Its folder for this run, which only the user there sees."""
        return PurePosixPath(self._folder)

    @property
    def is_lost(self) -> bool:
        """Whether the connection was lost."""
        return self._connection.is_lost

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

    def watch_others(self) -> OtherPrograms:
        """What other programs take of its cores in the next second."""
        before = self.read()
        time.sleep(WATCHED_S)
        change = self.change_since(before, self.cores)
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

    def read(self) -> MachineReading:
        """Its counters now."""
        return reading.parse_reading(self._connection.run(scripts.READ).output)

    def change_since(self, before: MachineReading, cores: Sequence[int]) -> MachineChange:
        """What has happened on these cores since it was read."""
        return reading.change(before, self.read(), cores, PurePosixPath(self.engine.path).name)

    def put(self, files: Mapping[str, bytes]) -> None:
        """Into its folder, for the user there alone."""
        done = self._connection.run(scripts.PUT_FILES, self._folder, data=scripts.packed(files))
        if done.status != 0:
            raise MeasurementFailed(f"{self.name}: files cannot be put into {self._folder}: {done.last_line}")

    def start_engine(
        self, plan: EnginePlan, on_output: Callable[[bytes], None], on_end: Callable[[Finished], None]
    ) -> None:
        """Run the plan there; what the engine says is heard from another thread."""
        encoded = msgspec.json.encode(plan)
        words = (self._folder, self.engine.path)
        self._connection.start(scripts.RUN_ENGINE, *words, data=encoded, on_output=on_output, on_end=on_end)

    def stop_engine(self) -> None:
        """Also if it has ended. A connection that does not answer is given up: the next block makes a new one."""
        if not self._connection.is_lost:
            try:
                self._connection.run(scripts.STOP_ENGINE, self._folder, at_most_s=STOP_S)
            except MeasurementFailed:
                self._connection.close()

    def failure_of(self, ended: Finished) -> CannotMeasure | MeasurementFailed:
        """Why an engine ended that did not end well."""
        if ended.status is None:
            words = ended.errors.strip() or "it was killed"
            return MeasurementFailed(f"the load engine on {self.name} ended: {words}")
        error = engine.failure_of(ended.status, ended.errors)
        return type(error)(f"{self.name}: {error.message}", error.hint)

    def _log_in(self) -> None:
        self._connection = Connection(GENERATOR, self._login, self._access)
        try:
            self.facts: MachineFacts = reading.parse_facts(self._connection.run(scripts.FACTS).output)
            self.engine: SentEngine = send_engine(self._connection, self.facts)
            self.address = self._address or self._connection.local_address
            require_reached(self._connection, self.address)
            self._folder = self._connection.hold(scripts.HOLD, str(scripts.LEASE_S), beat_s=scripts.BEAT_S)
        except BaseException:
            self._connection.close()
            raise
