"""A record whose plan grows: each phase adds its experiments to the suite and the plan, and changes the question."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Protocol

import msgspec

from hopcost.measure import quiet
from hopcost.measure.load.engine import cores_in_use
from hopcost.measure.protocols.conf.plan import ConfPlan
from hopcost.measure.protocols.conf.suite import Phase, whole_suite
from hopcost.measure.rig import Rig
from hopcost.measure.watcher import RunWatcher, Watcher
from hopcost.plan.make import make_plan
from hopcost.plan.method import METHOD
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Turns
from hopcost.record import reader
from hopcost.record.contents.question import Verb, keep
from hopcost.record.contents.run import Record
from hopcost.record.writer import Writer
from hopcost.statistics.questions.conf.question import ConfQuestion
from hopcost.statistics.questions.conf.screened import is_confirmation
from hopcost.suites.suite import Suite

SETTLE_NS, SLICE_NS = 100_000_000, 200_000_000  # of a screening, whose arms are all alike: many short rounds


class Machine(Protocol):
    """What a phase needs of this machine; the tests' has no programs."""

    @property
    def rig(self) -> Rig:
        """Stacks, engine and clocks."""

    @property
    def environment(self) -> dict[str, object]:
        """The machine, as a record keeps it."""

    def limits(self, suite: Suite) -> MachineLimits:
        """Of a suite whose programs are asked for their versions now."""


class ReadyPhase(msgspec.Struct, frozen=True):
    """A phase about to be measured: its plan is the part of the record's plan that it measures."""

    plan: Plan
    rig: Rig
    writer: Writer
    watcher: Watcher


class GrowingRecord:
    """Opened with the first phase; left, it notes the end of the run unless an error ends it."""

    def __init__(self, plan: ConfPlan, options: RunOptions, machine: Machine, run_watcher: RunWatcher) -> None:
        assert options.seed is not None, "whoever measures draws it"
        self._plan, self._options, self._machine, self._run_watcher = plan, options, machine, run_watcher
        self._phases: list[Phase] = []
        self._experiments: list[PlannedExperiment] = []
        self._writer: Writer | None = None
        self._open = ExitStack()  # the writer, once there is one
        self.rig = machine.rig

    @property
    def path(self) -> Path | None:
        """The record's folder; None before the first phase."""
        return None if self._writer is None else self._writer.path

    def read(self) -> Record | None:
        """What it says by now; None before the first phase."""
        return None if self._writer is None else reader.read_record(self._writer.path)

    @contextmanager
    def phase(self, phases: Sequence[Phase], seconds: float, question: ConfQuestion) -> Iterator[ReadyPhase]:
        """The record with these experiments added, ready to be measured within the time."""
        self._phases += phases
        suite = whole_suite(self._plan, self._phases)
        options = msgspec.structs.replace(self._options, time_s=max(1.0, seconds))
        limits = self._machine.limits(suite)
        own = make_plan(suite, [phase.name for phase in phases], options, limits)
        screened = [_in_short_slices(planned, limits.open_files) for planned in own.experiments]
        own = msgspec.structs.replace(own, experiments=screened)
        self._experiments += own.experiments
        whole = msgspec.structs.replace(own, experiments=list(self._experiments), time_s=self._plan.time.whole_s)
        if not own.on_busy_machine:
            cores = sorted({core for planned in own.experiments for core in cores_in_use(planned)})
            quiet.wait_for_quiet(self.rig, cores, self._run_watcher)
        kept = keep(Verb.CONF, question)
        if self._writer is None:
            command = ["hopcost", *sys.argv[1:]]
            writer = Writer(options.folder, suite, whole, self._machine.environment, command, kept)
            self._writer = self._open.enter_context(writer)
        else:
            self._writer.extend(suite, whole, kept)
        with self._run_watcher.run_begins(own, self._writer.path) as watcher:
            yield ReadyPhase(own, self.rig, self._writer, watcher)

    def __enter__(self) -> GrowingRecord:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, traceback)


def _in_short_slices(planned: PlannedExperiment, open_files: int) -> PlannedExperiment:
    """A screening's turns and slices, if its arms fit side by side; the confirmation has those of the method.

    Idle time-outs do not keep its arms from taking turns: whenever one is frozen, a request is under way on each of
    its connections, and what a pool drops meanwhile is opened again while the arm settles.
    """
    fits = planned.workload.connections * len(planned.arms) + METHOD.spare_files <= open_files
    if is_confirmation(planned.name) or planned.group_of is not None or not fits:
        return planned
    return msgspec.structs.replace(
        planned, turns=Turns.ALL, settle_ns=SETTLE_NS, slice_ns=SLICE_NS, slice_jitter=METHOD.slice_jitter, notes=[]
    )
