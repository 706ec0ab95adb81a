"""What the JSON report holds, typed: docs/report.schema.json is made of these structures.

Figures are as measured: integers where the record counts, ns and bytes where the name says so, ratios as fractions with
the ends of their intervals, shares from 0 to 1 (per cent only where the name says so). Absent is null, never 0.
docs/record-format.md says what each key means.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hopcost.plan.cores import Cores
from hopcost.plan.plan import LeftOut, Point
from hopcost.plan.turns import Turns
from hopcost.record.block import Failure
from hopcost.record.evidence import Memory, TimeWait
from hopcost.record.run import Ending
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.open_loop import OpenFigures
from hopcost.statistics.summary.repeats import ArmRepeats, PeerFigures
from hopcost.statistics.summary.soak import Course
from hopcost.statistics.summary.usage import ArmSurroundings
from hopcost.suites.experiment import Workload
from hopcost.suites.published import Published


class ReportedComparison(msgspec.Struct, frozen=True):
    """One figure of an arm ÷ the baseline's, and the verdict read off its interval; `load_per_s` null at saturation."""

    figure: str
    load_per_s: float | None
    ratio: Interval | None
    verdict: str
    negligible: bool
    margin: float | None
    no_verdict: str | None


class ReportedArm(msgspec.Struct, frozen=True):
    """One arm over all blocks that count: answers, requests per second, CPU ns per correct answer, service time in ns.

    The A/A arm is not among them: its ratio is the experiment's `aa_floor`.
    """

    name: str
    title: str
    answers: int
    throughput_per_s: float | None
    throughput_is_a_bound: bool
    ratio: Interval | None
    cpu_ns_per_request: dict[str, int | None]
    cpu_ratio: Interval | None
    service_time_ns: dict[str, int | None]
    service_time_at_least: list[str]
    comparisons: list[ReportedComparison]
    open_loop: list[OpenFigures]
    faults: list[str]
    errors: dict[str, int]
    reconnects: int
    cpu_outside: float | None
    steady: bool | None
    header_bytes: int
    body_bytes: int
    published: Published | None
    published_ratio: float | None
    cpu_percent: float | None
    time_wait: list[TimeWait]
    memory: dict[str, Memory]
    notes: list[str]
    peer: str | None
    peer_figures: PeerFigures | None


class ReportedBlock(msgspec.Struct, frozen=True):
    """A block that is void or suspect, counted from 0, and why."""

    number: int
    reasons: list[str]


class Agreement(msgspec.Struct, frozen=True):
    """Whether the p99 of the baseline's two runs are within 20 % at a share of the slowest arm's capacity."""

    share: float
    agrees: bool | None


class ReportedExperiment(msgspec.Struct, frozen=True):
    """An experiment over its valid blocks; `margin` and `harness_load` are shares (0.02: 2 %)."""

    name: str
    question: str
    baseline: str
    twice: str
    aa_floor: Interval | None
    margin: float
    instrument_is_biased: bool | None
    no_verdicts: str | None
    p99_agrees: list[Agreement]
    blocks: int
    void_blocks: list[ReportedBlock]
    suspect_blocks: list[ReportedBlock]
    ending: Ending | None
    cores: Cores
    workload: Workload
    notes: list[str]
    surroundings: list[ArmSurroundings]
    left_out: list[LeftOut]
    failures: list[Failure]
    harness_load: float | None
    point: Point | None
    turns: Turns
    connections_asked: int | None
    soak: list[Course]
    repeats: list[ArmRepeats]
    hop_costs: list[HopCost]
    arms: list[ReportedArm]


class Report(msgspec.Struct, frozen=True):
    """A record's summary; `format` is the record's, times are UTC (ISO 8601)."""

    format: int
    hopcost: str
    suite: str
    quick: bool
    seed: int
    started_utc: str
    ended_utc: str | None
    command: list[str]
    warnings: list[str]
    environment: dict[str, Any]
    left_out: list[LeftOut]
    experiments: list[ReportedExperiment]
