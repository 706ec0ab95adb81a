"""A crosscheck as a table with notes."""

from __future__ import annotations

from hopcost.generators.peers import BY_NAME, ours
from hopcost.report import Result
from hopcost.report.document import Document, Heading, Lines, Table
from hopcost.report.formatting import ABSENT, CONFIDENCE, count, errors, interval, number, span
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck, Tool

HEADER = [
    *("generator", "answers/s", f"÷ hopcost's [{CONFIDENCE}]", "mean ms", "p50 ms", "p99 ms", "in flight"),
    *("busy", "its CPU µs", "stack's CPU µs", f"÷ hopcost's [{CONFIDENCE}]", "errors"),
]
BELOW = [
    "figures are medians over turns, p50 and p99 lowest–highest of the turns: quantiles of several runs do not merge;"
    " every interval holds by itself",
    "answers/s: correct ones, by each one's own count and clock; hopcost's engine compares every byte, the others look"
    " at the status, ab at the length too",
    "in flight: its throughput × its mean time ÷ connections (Little's law): the share of connections that waited for"
    " an answer by its own figures; below 100 % it kept connections idle, or its clock left something out",
    "busy: its CPU time ÷ wall time of its cores, starting and printing included; at 100 % it measures itself",
    "CPU µs: per answer, read from outside alike for all; the stack's is that of all hops",
]


def crosscheck_report(crosscheck: Crosscheck) -> Result:
    """The crosscheck as a result."""
    return Result(lambda: document(crosscheck), lambda: crosscheck)


def document(crosscheck: Crosscheck) -> Document:
    """One table, then notes on its figures."""
    table = Table(HEADER, [_row(tool) for tool in crosscheck.tools])
    return Document([[Heading(headline(crosscheck))], [table], [Lines(_below(crosscheck))]])


def headline(crosscheck: Crosscheck) -> str:
    """`hopcost crosscheck: hello/one-core/go, 64 connections, 6 rounds of 2 s each`."""
    connections, rounds = count(crosscheck.connections, "connection"), count(crosscheck.rounds, "round")
    load = f"{connections}, {rounds} of {crosscheck.seconds} s each"
    cores = count(crosscheck.cores, "core")
    return f"hopcost crosscheck: {crosscheck.arm}, {load}, {cores} for the generator"


def _row(tool: Tool) -> list[str]:
    is_ours = tool.name == OURS
    return [
        tool.name,
        number(tool.per_s),
        "1" if is_ours else interval(tool.ratio),
        ABSENT if tool.mean_ms is None else f"{tool.mean_ms:.2f}",
        span(tool.p50_ms or (), digits=2),
        span(tool.p99_ms or (), digits=2),
        ABSENT if tool.in_flight is None else f"{tool.in_flight:.0%}",
        f"{tool.busy:.0%}",
        f"{tool.generator_ns / 1000:.1f}",
        f"{tool.stack_ns / 1000:.1f}",
        "1" if is_ours else interval(tool.stack_ratio),
        errors(tool.errors),
    ]


def _below(crosscheck: Crosscheck) -> list[str]:
    lines = [*BELOW, *(f"{tool.name} {tool.version}: {_times(tool.name)}" for tool in crosscheck.tools)]
    fewer = [tool for tool in crosscheck.tools if tool.turns < crosscheck.rounds]
    lines += [f"{tool.name}: {count(tool.turns, 'turn')} of {crosscheck.rounds}" for tool in fewer]
    return lines + [f"left out: {name}: {why}" for name, why in crosscheck.left_out.items()]


def _times(name: str) -> str:
    """What a generator times for its mean and quantiles."""
    return ours.TIMES if name == OURS else BY_NAME[name].times
