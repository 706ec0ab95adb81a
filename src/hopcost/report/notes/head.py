"""The head of a record's report: what ran, where, what the record lacks, and the suite's own words."""

from __future__ import annotations

import re
from datetime import datetime
from statistics import median

from hopcost.errors import printable
from hopcost.programs.generators.agent import ClockExchange
from hopcost.record.contents.run import Record
from hopcost.report.formatting import duration

SEPARATOR = " · "
NOISE = re.compile(r"\((?:R|TM)\)|\bProcessor\b|\bCPU @.*$")  # in the names of CPUs


def title(record: Record) -> str:
    """The suite's title and name."""
    plan = record.plan
    return printable(f"{plan.title} ({plan.suite}{', quick' if plan.quick else ''})")


def first_line(record: Record) -> str:
    """`nginx-go --quick · 2.7 min · 2-core VM, AMD EPYC · nginx 1.22.1, go-hello go1.26.8`."""
    plan = record.plan
    quick = " --quick" if plan.quick else ""
    parts = [f"{plan.suite}{quick}", _length(record), _machine(record.environment), _programs(record)]
    return printable(SEPARATOR.join(filter(None, parts)))


def about(record: Record) -> list[str]:
    """What ran, by which method, when and where."""
    run = record.run
    return [
        printable(
            f"hopcost {run.hopcost}, method {run.method}, {run.started_utc}, seed {record.plan.seed}; {where(record)}"
        )
    ]


def where(record: Record) -> str:
    """`AMD EPYC, 2 cores, kernel 6.18`."""
    environment = record.environment
    cpu = environment.get("cpu") or "unknown CPU"
    return printable(f"{cpu}, {_cores(environment)}, kernel {environment.get('kernel')}")


def machine(record: Record) -> list[str]:
    """Programs with their versions; the generators' machines, if they have some of their own."""
    programs = record.environment.get("programs")
    lines = generator_machines(record)
    if not isinstance(programs, dict):
        return lines
    return [*lines, printable(", ".join(f"{name} {version}".rstrip() for name, version in programs.items()))]


def generator_machines(record: Record) -> list[str]:
    """`generator on g1: …, 2 cores, kernel 6.18; round trip 120 µs, clocks known to ±60 µs (medians over edges)`."""
    machines = record.environment.get("generator_machines")
    return [
        _generator_machine(record, own)
        for own in (machines if isinstance(machines, list) else [])
        if isinstance(own, dict)
    ]


def _generator_machine(record: Record, own: dict[str, object]) -> str:
    words = [str(own.get("cpu") or "unknown CPU"), _cores(own), f"kernel {own.get('kernel')}"]
    edges = _edges(record, str(own.get("name")))
    clocks = ""
    if edges:
        trip, bound = (median(values) for values in zip(*((e.round_trip_ns, e.bound_ns) for e in edges), strict=True))
        clocks = f"; round trip {trip / 1000:.0f} µs, clocks known to ±{bound / 1000:.0f} µs (medians over edges)"
    return printable(f"generator on {own.get('name')}: {', '.join(words)}{clocks}")


def _edges(record: Record, machine: str) -> list[ClockExchange]:
    """The clocks at the edges of all slices, as this generator's machine saw them."""
    pieces = [piece for block in record.blocks for part in block.arms for piece in part.slices]
    agents = [piece.agent for piece in pieces if not piece.generators]
    agents += [own.agent for piece in pieces for own in piece.generators if own.machine == machine]
    return [edge for agent in agents if agent is not None for edge in (agent.thaw, agent.freeze)]


def warnings(record: Record) -> list[str]:
    """What the record lacks."""
    lines = []
    if record.run.ended_utc is None:
        lines.append("interrupted: results so far")
    lines += [f"warning: {warning}" for warning in record.warnings]
    lines += [f"site {site.name} left before the end: {site.reason}" for site in record.run.sites_left]
    lines += [f"not measured: experiment {left_out.words()}" for left_out in record.plan.left_out]
    return [printable(line) for line in lines]


def analysis(record: Record) -> list[str]:
    """The suite's own words on what it asks, a string for each paragraph."""
    return paragraphs(record.plan.analysis)


def paragraphs(text: str) -> list[str]:
    """Text with empty lines between paragraphs, a string for each."""
    return [printable(" ".join(words.split())) for words in re.split(r"\n\s*\n", text) if words.strip()]


def _length(record: Record) -> str:
    """How long the run took by the wall clock; empty if it did not end."""
    if record.run.ended_utc is None:
        return ""
    try:
        began, ended = (datetime.fromisoformat(time) for time in (record.run.started_utc, record.run.ended_utc))
    except ValueError:
        return ""
    seconds = (ended - began).total_seconds()
    return duration(seconds) if seconds >= 1 else ""


def _machine(environment: dict[str, object]) -> str:
    allowed = environment.get("allowed_cores")
    cpu = " ".join(NOISE.sub("", str(environment.get("cpu") or "unknown CPU")).split())
    kind = "VM" if environment.get("hypervisor") else "machine"
    return f"{len(allowed)}-core {kind}, {cpu}" if isinstance(allowed, list) else str(cpu)


def _programs(record: Record) -> str:
    """The programs of the stacks that ran, with their versions."""
    versions = record.environment.get("programs")
    if not isinstance(versions, dict):
        return ""
    used = dict.fromkeys(
        hop.program for experiment in record.plan.experiments for arm in experiment.arms for hop in arm.arm.hops
    )
    return ", ".join(f"{name} {versions[name]}".rstrip() for name in used if name in versions)


def _cores(environment: dict[str, object]) -> str:
    allowed = environment.get("allowed_cores")
    return f"{len(allowed)} cores" if isinstance(allowed, list) else "unknown cores"
