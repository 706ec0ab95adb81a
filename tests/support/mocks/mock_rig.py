"""A mock engine and mock stacks for the measuring loop: what was done to them, in order."""

from __future__ import annotations

import itertools
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hdrh.histogram import HdrHistogram
from mocks.recorders import Recorder

from hopcost.errors import ArmFailed
from hopcost.machine.conditions import Conditions
from hopcost.machine.other_load import OtherPrograms, ProcessTime
from hopcost.measure import loop
from hopcost.measure.rig import GeneratorUse
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.plan import Plan, PlannedArm, PlannedExperiment
from hopcost.programs.definition.definition import Installed
from hopcost.programs.generators.engine_lines import ArmTotals, End, Line, Slice, Start, Validity, WarmedUp
from hopcost.programs.generators.engine_plan import EnginePlan
from hopcost.record import reader
from hopcost.record.contents.evidence import GeneratorConditions, Memory, NetworkKind, Receipt, Surroundings, TimeWait
from hopcost.record.contents.run import Record
from hopcost.record.writer import Writer
from hopcost.stacks.client.address import Address
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.running.programs import RestartTimes
from hopcost.stacks.stack import Stack as AnyStack
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

SUITE = Suite(
    name="mock",
    title="Mock",
    arms={name: Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP)]) for name in ("slow", "base")},
    experiments=[
        Experiment(name="one", question="?", baseline="base", arms=["slow", "base"], placement=Placement.ONE_CORE)
    ],
)
QUIET = OtherPrograms(share=0.0, elapsed_ns=1_000_000_000, programs=[])
EMPTY = HdrHistogram(1, 3_600_000_000_000, 3).encode().decode()


class MockRig:
    """Mock stacks, checks and engine; `log` holds what was done to them, in order."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.answers = {"base": 100, "base-aa": 100, "slow": 50}
        self.bodies: dict[str, bytes] = {}
        self.fails_at_start: set[str] = set()
        self.dies_under_load: set[str] = set()
        self.replaces_a_worker: set[str] = set()
        self.without_receipt: set[str] = set()
        self.does_not_restart = False
        self.stack_cpu_ns = 0
        self.slice_cpu_ns = 1000  # that the only hop uses in a slice
        self.late_share = 0.0  # of the requests, which the generator sends late in an open loop
        self.busy: Iterator[int] = iter(lambda: 0, None)
        self.programs: Iterator[list[ProcessTime]] = iter(list, None)
        self.others: Iterator[OtherPrograms] = iter(lambda: QUIET, None)
        self.engine_faults: list[Exception] = []
        self.interrupted_at: int | None = None
        self.plans: list[EnginePlan] = []
        self.generators: dict[str, GeneratorConditions] = {}
        self.clock_s = 1000.0
        self.load_s = 1.0  # that a run of the engine takes on this clock
        self.restarts: Iterator[float] = itertools.repeat(
            1.0
        )  # times its answers, what `slow` gives from start to start

    def now_s(self) -> float:
        return self.clock_s

    def sleep_s(self, seconds: float) -> None:
        pass

    def own_cpu_ns(self) -> int:
        return time.process_time_ns()

    def busy_ns(self, cores: list[int]) -> int:
        return next(self.busy)

    def processes(self) -> list[ProcessTime]:
        return next(self.programs)

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        self.log.append("watch " + " ".join(map(str, cores)))
        return next(self.others)

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        return 1000

    def observe(self, stack: AnyStack) -> Observer:
        return Observer(self, stack.arm)

    def conditions(self, cores: list[int]) -> Conditions:
        return Conditions(
            monotonic_ns=round(self.clock_s * 1e9), steal_ns=0, throttled_ns=None, swapped_pages=0, wall_ahead_ns=0
        )

    def start(self, arm: PlannedArm, experiment: PlannedExperiment, label: str) -> Any:
        name = arm.name
        self.log.append(f"start {name}")
        if name in self.fails_at_start:
            raise ArmFailed(name, "it would not start", "see its log")
        address = Address(link="http+tcp", address=f"{name}:80")
        hops = [SimpleNamespace(name="origin", program="origin", shown_files={}, command=["x"])]
        rig = self

        class Stack:
            arm = name
            prepared = SimpleNamespace(
                arm=name, hops=hops, address=address, cores=SimpleNamespace(stack=[0], generator=[1]), server=None
            )
            freeze = {"signal": [1]}  # noqa: RUF012
            network_namespace = None
            services: tuple[Any, ...] = ()
            surroundings = Surroundings(network=NetworkKind.HOST, open_files=1)

            @property
            def processes(self) -> dict[str, list[int]]:
                replaced = name in rig.replaces_a_worker and rig.log[-1].startswith("load")
                return {"origin": [1, 3 if replaced else 2]}

            def as_client(self) -> AbstractContextManager[None]:
                return nullcontext()

            def account_of(self, hop: str) -> str | None:
                return None

            def memory(self) -> dict[str, Memory]:
                return {}

            def time_wait(self) -> list[TimeWait]:
                return [TimeWait(hop="origin", server=0, client=len(rig.log))]

            def __enter__(self) -> Stack:
                return self

            def __exit__(self, *_: object) -> None:
                rig.log.append(f"stop {name}")

            def cpu_by_account(self) -> dict[str, int]:
                return {name: rig.stack_cpu_ns}

            def failure(self) -> str | None:
                return "origin ended by signal 11" if name in rig.dies_under_load else None

        return Stack()

    def ask(self, stack: AnyStack, workload: Workload) -> HttpAnswer:
        self.log.append(f"check {stack.arm}")
        return HttpAnswer(status=200, head="", header_bytes=141, body=self.bodies.get(stack.arm, b"hello"))

    def ready_after_s(self, stack: AnyStack) -> dict[str, float]:
        return {"origin": 0.5}

    def restart(self, stack: AnyStack, hop: str) -> RestartTimes:
        self.log.append(f"restart {hop} of {stack.arm}")
        if self.does_not_restart:
            raise ArmFailed(stack.arm, f"{hop} did not get ready")
        return RestartTimes(stopping_ns=1, starting_ns=2)

    def run_engine(self, plan: EnginePlan) -> Generator[Line]:
        load = plan
        if len(self.plans) == self.interrupted_at:
            raise KeyboardInterrupt
        self.plans.append(load)
        self.clock_s += self.load_s
        answers = self.answers | {"slow": round(self.answers.get("slow", 0) * next(self.restarts))}
        self.log.append("load " + " ".join(arm.name for arm in load.arms))
        if self.engine_faults:
            raise self.engine_faults.pop(0)
        yield Start(version="0", io="epoll", batch=1, cores=[1], compared_one_in=16)
        for arm in load.arms:
            yield WarmedUp(arm=arm.name, elapsed_ns=1, plateau=True, answers=[1], errors={})
        for number in range(load.rounds):
            for place, arm in enumerate(load.arms):
                yield Slice(
                    arm=arm.name, round=number, place=place, start_ns=0, elapsed_ns=1000, freeze_ns=1, frozen_ns=None,
                    answers=answers[arm.name], sent=answers[arm.name], errors={}, reconnects=0,
                    received_bytes=0, cpu_ns={"origin": self.slice_cpu_ns}, cpu_outside_ns={"origin": 0},
                    generator_cpu_ns=10, due=answers[arm.name], not_sent=0, spin_ns=0,
                    late=round(answers[arm.name] * self.late_share),
                )  # fmt: skip
        for arm in load.arms:
            yield ArmTotals(
                arm=arm.name, sent=1, answers=1, compared=1, in_flight=0, established=1, reconnects=0, errors={},
                service_time=EMPTY, unanswered=EMPTY,
            )  # fmt: skip
        yield End(elapsed_ns=10**9, generator_cpu_ns=1, validity=Validity.VALID, reasons=[])

    def generator_use(self, end: End) -> GeneratorUse:
        return GeneratorUse(end.generator_cpu_ns, self.generators)


class Observer:
    """Whose receipts hold, but for the arms that the rig denies them."""

    def __init__(self, rig: MockRig, arm: str) -> None:
        self.denied = arm in rig.without_receipt

    def receipts(self, *_: object) -> list[Receipt]:
        return [Receipt("origin", "gzip", True, "answers have no Content-Encoding", not self.denied)]


@pytest.fixture
def rig() -> MockRig:
    return MockRig()


@pytest.fixture
def ready(rig: MockRig) -> MockRig:
    """A rig for the gate's two arms."""
    rig.answers = {"before": 100, "before-aa": 100, "after": 100}
    return rig


LIMITS = MachineLimits({"origin": Installed(path="/x", version="1")}, [0, 1], siblings={}, open_files=1000)


def plan_of(quick: bool, time_s: float = 1000.0, suite: Suite = SUITE, loads: int = 0) -> Plan:
    """A plan with so many offered loads; experiments are without, unless it is asked for."""
    experiments = [msgspec.structs.replace(experiment, open_loop=loads > 0) for experiment in suite.experiments]
    options = RunOptions(quick=quick, time_s=time_s, seed=1, loads=loads)
    return make_plan(msgspec.structs.replace(suite, experiments=experiments), [], options, LIMITS)


def measure(
    rig: MockRig, tmp_path: Path, quick: bool = True, time_s: float = 1000.0, suite: Suite = SUITE, loads: int = 0
) -> tuple[bool, Record, Recorder]:
    """Run the loop over the mock suite; whether all went well, the record as read again, and what was watched."""
    planned = plan_of(quick, time_s, suite, loads)
    watcher = Recorder()
    with Writer(tmp_path / "record", suite, planned, {}, ["hopcost"]) as writer:
        well = loop.measure_plan(planned, rig, writer, watcher)
    return well, reader.read_record(tmp_path / "record"), watcher
