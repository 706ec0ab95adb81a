"""Sweeps, repeats, soaks and other generators' runs, made by hand."""

from __future__ import annotations

import msgspec
from samples.blocks import MS, block, part, slice_of
from samples.records import plan_of, record

from hopcost.plan.plan import Plan, PlannedExperiment, Point
from hopcost.plan.turns import Turns
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import MemorySample
from hopcost.record.contents.repeat import PeerRun, Repeat
from hopcost.record.contents.run import Record
from hopcost.report import Part
from hopcost.report.document import Element, Lines, Table
from hopcost.report.tables.details import details
from hopcost.statistics.summary.soak import Course
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.articles.published import Published


def planned(**more: object) -> PlannedExperiment:
    return msgspec.structs.replace(plan_of().experiments[0], **more)


def plan_with(*experiments: PlannedExperiment) -> Plan:
    return msgspec.structs.replace(plan_of(), experiments=list(experiments))


def soak_plan() -> Plan:
    return plan_with(planned(turns=Turns.SOAK, soak_s=3600.0))


def details_of(content: Record) -> dict[Part, list[Element]]:
    """The details of a record's only experiment or sweep."""
    return details(summarise(content))


def table_of(content: Record, part: Part, title: str = "") -> Table | None:
    """The table of a part that has this title."""
    elements = details_of(content).get(part, [])
    tables = [element for element in elements if isinstance(element, Table) and element.title == title]
    return tables[0] if tables else None


def notes_of(content: Record) -> list[str]:
    """The lines of all parts."""
    elements = [element for part in details_of(content).values() for element in part]
    return [line for element in elements if isinstance(element, Lines) for line in element.lines]


def point(value: int, *published: Published) -> PlannedExperiment:
    name = f"cost@{value}"
    return planned(
        name=name, point=Point(experiment="cost", key="workload.connections", value=value), published=list(published)
    )


def at(value: int, behind: int, errors: dict[str, int] | None = None) -> Block:
    direct = part(slice_of("direct", 1000, cpu_ns={"app": 40 * MS}))
    proxied = part(slice_of("behind", behind, cpu_ns={"proxy": 50 * MS, "app": 20 * MS}, errors=errors))
    return msgspec.structs.replace(
        block(0, direct, proxied, part(slice_of("direct-aa", 1000))), experiment=f"cost@{value}"
    )


def sweep() -> Record:
    direct = Published(arm="direct", throughput_per_s=2000, cpu_percent=70)
    direct_with_errors = Published(arm="direct", throughput_per_s=1000, errors={"connect": 7})
    plan = plan_with(
        point(10, direct, Published(arm="behind", throughput_per_s=500)),
        point(1000, direct_with_errors, Published(arm="behind", errored=True)),
    )
    return record(at(10, 400), at(1000, 200, {"timeout": 3}), plan=plan)


def peer_run(answers: int, errors: dict[str, int] | None = None) -> PeerRun:
    return PeerRun(
        peer="wrk", version="4.1.0", command=["wrk"], answers=answers, errors=errors or {}, elapsed_ns=1000 * MS,
        wall_ns=1000 * MS, generator_cpu_ns=0, cpu_ns={"app": 500 * MS}, throughput_per_s=None, latency_ms={},
        output="",
    )  # fmt: skip


def repeat(arm: str, number: int, run: PeerRun | None, failure: str | None = None) -> Repeat:
    return Repeat(
        experiment="cost", arm=arm, number=number, connections=64, requests=None, duration_s=1, run=run, failure=failure
    )


def soak_block(number: int, behind: int, memory: int) -> Block:
    slices = [slice_of("direct", 1000), slice_of("behind", behind), slice_of("direct-aa", 1000)]
    for piece in slices:
        piece.start_ns = number * 1200 * 1_000_000_000
    start = block(number, *[part(of_arm, service_time_ns=(1_000_000,) * 9) for of_arm in slices])
    start.arms[1].memory_samples = [MemorySample(elapsed_ns=number * 1200 * 1_000_000_000, resident_bytes=memory)]
    return start


def soak_courses(*blocks: Block) -> dict[tuple[str, str], Course]:
    (experiment,) = summarise(record(*blocks, plan=soak_plan()))
    return {(course.figure, course.arm): course for course in experiment.soak}
