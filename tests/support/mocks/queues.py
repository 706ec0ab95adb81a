"""Arms that are queues of known capacity: a mock engine whose open loop is simulated, on a clock of its own."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path

import msgspec
import numpy as np
from hdrh.histogram import HdrHistogram
from mocks.mock_rig import EMPTY, LIMITS, SUITE, MockRig
from mocks.recorders import Recorder

from hopcost.measure.protocols.capacity.ask import search_all
from hopcost.measure.protocols.capacity.plan import capacity_plan
from hopcost.plan.make import make_plan
from hopcost.plan.options import RunOptions
from hopcost.plan.plan import Plan
from hopcost.programs.generators.engine_lines import ArmTotals, End, Line, Slice, Start, Validity, WarmedUp
from hopcost.programs.generators.engine_plan import EngineArm, EnginePlan
from hopcost.record import reader
from hopcost.record.contents.question import Verb, keep
from hopcost.record.writer import Writer
from hopcost.statistics.questions.capacity.fit import KnownSoFar
from hopcost.statistics.questions.capacity.objectives import read_objectives
from hopcost.statistics.questions.capacity.question import CapacityQuestion
from hopcost.statistics.questions.capacity.result import CapacityResult, read_capacity
from tools.truth.sections.capacity.simulated import QueueServer, slice_of

SECOND = 1_000_000_000
LIMIT_PER_S = 1e9  # more than any of these servers
ONE_MS = QueueServer(service_s=0.001)
TWO_MS = QueueServer(service_s=0.002)
QUESTION = CapacityQuestion("mock/one", read_objectives(["p99<20ms"]))


class QueueRig(MockRig):
    """Every arm is one of `servers`; `limit_per_s` is what the generator can offer."""

    def __init__(self, servers: dict[str, QueueServer], limit_per_s: float = LIMIT_PER_S) -> None:
        super().__init__()
        self.servers = servers
        self.limit_per_s = limit_per_s
        self.offered: dict[str, list[float]] = {name: [] for name in servers}
        self.fails_at: dict[str, float] = {}  # from this rate on an arm answers a tenth with an error
        self.stops_at: int | None = None  # somebody stops the run in this run of the engine
        self._dice = np.random.default_rng(1)

    def run_engine(self, plan: EnginePlan) -> Generator[Line]:
        if len(self.plans) == self.stops_at:
            self.plans.append(plan)
            raise KeyboardInterrupt
        self.plans.append(plan)
        yield Start(version="0", io="epoll", batch=1, cores=[1], compared_one_in=16)
        for arm in plan.arms:
            yield WarmedUp(arm=arm.name, elapsed_ns=1, plateau=True, answers=[1], errors={})
        pieces = {arm.name: self._slice(arm, plan) for arm in plan.arms}
        yield from pieces.values()
        for arm in plan.arms:
            yield ArmTotals(
                arm=arm.name, sent=1, answers=1, compared=1, in_flight=0, established=1, reconnects=0, errors={},
                service_time=EMPTY, unanswered=EMPTY, response_time=pieces[arm.name].response_time,
            )  # fmt: skip
        yield End(elapsed_ns=10**9, generator_cpu_ns=1, validity=Validity.VALID, reasons=[])

    def _slice(self, arm: EngineArm, plan: EnginePlan) -> Slice:
        server, length_ns = self.servers[arm.name], arm.slice_ns or plan.slice_ns
        self.clock_s += length_ns / SECOND + 0.4
        full = round(server.servers / server.service_s * length_ns / SECOND)
        empty = Slice(
            arm=arm.name, round=0, place=0, start_ns=0, elapsed_ns=length_ns, freeze_ns=1, frozen_ns=None,
            answers=full, sent=full, errors={}, reconnects=0, received_bytes=0, cpu_ns={"origin": 1000},
            cpu_outside_ns={"origin": 0}, generator_cpu_ns=10, due=full, not_sent=0, spin_ns=0, late=0, in_flight_ns=1,
        )  # fmt: skip
        if arm.arrivals is None:
            return empty
        rate_per_s = arm.arrivals["poisson"].rate_per_s
        self.offered[arm.name].append(rate_per_s)
        times = slice_of(server, min(rate_per_s, self.limit_per_s), length_ns / SECOND, self._dice)
        is_limited = rate_per_s > self.limit_per_s
        failed = len(times) // 10 if rate_per_s >= self.fails_at.get(arm.name, float("inf")) else 0
        histogram = HdrHistogram(1, 3_600_000_000_000, 3)
        for time_s in times[failed:] + (10.0 if is_limited else 0.0):
            histogram.record_value(round(time_s * SECOND))
        return msgspec.structs.replace(
            empty,
            answers=len(times) - failed,
            sent=len(times),
            due=len(times),
            errors={"status": failed} if failed else {},
            generator_cpu_ns=length_ns if is_limited else 10,
            response_time=histogram.encode().decode(),
        )


class ProbeRecorder(Recorder):
    """Remembers the rates too."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, KnownSoFar] = {}

    def offers(self, rates: Mapping[str, float]) -> None:
        self.seen.append(f"offers {len(rates)}")

    def knows(self, arms: Mapping[str, KnownSoFar]) -> None:
        self.known = dict(arms)


def planned(time_s: float, *arms: str) -> Plan:
    plan = make_plan(SUITE, [], RunOptions(time_s=time_s, seed=1), LIMITS)
    return capacity_plan(plan, SUITE, arms, LIMITS.open_files)


def searched(rig: QueueRig, tmp_path: Path, time_s: float = 120.0, *arms: str) -> CapacityResult:
    """A whole search on the mock suite, and what its record says."""
    plan = planned(time_s, *arms)
    with Writer(tmp_path / "record", SUITE, plan, {}, ["hopcost"], keep(Verb.CAPACITY, QUESTION)) as writer:
        search_all(plan, QUESTION.objectives, rig, writer, ProbeRecorder())
    return read_capacity(QUESTION, reader.read_record(tmp_path / "record"))
