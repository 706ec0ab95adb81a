"""A crosscheck as a table and what stands below it."""

from __future__ import annotations

import msgspec

from hopcost.generators.peers import BY_NAME, ours
from hopcost.report import Format, columns, markdown
from hopcost.report.formatting import ABSENT, cores, count, errors, interval, number, printable, span
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck, Tool

HEADER = [
    *("generator", "answers/s", "÷ hopcost's [95%]", "mean ms", "p50 ms", "p99 ms", "in flight"),
    *("busy", "its CPU µs", "stack's CPU µs", "÷ hopcost's [95%]", "errors"),
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


def render(found: Crosscheck, format: Format) -> str:
    """In one format."""
    if format is Format.JSON:
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"
    rows = [_row(tool) for tool in found.tools]
    below = [printable(line) for line in _below(found)]
    if format is Format.MARKDOWN:
        parts = [f"## {markdown.escape(headline(found))}", markdown.grid(HEADER, rows), markdown.bullets(below)]
        return "\n\n".join(parts) + "\n"
    said = [f"  {line}" for each in below for line in each.splitlines()]
    return "\n".join([printable(headline(found)), "", *columns.lines(HEADER, rows), "", *said]) + "\n"


def headline(found: Crosscheck) -> str:
    """`hopcost crosscheck: hello/one-core/go, 64 connections, 6 rounds of 2 s each`."""
    load = f"{count(found.connections, 'connection')}, {count(found.rounds, 'round')} of {found.seconds} s each"
    return f"hopcost crosscheck: {found.arm}, {load}, {cores(found.cores)} for the generator"


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


def _below(found: Crosscheck) -> list[str]:
    said = [*BELOW, *(f"{tool.name} {tool.version}: {_times(tool.name)}" for tool in found.tools)]
    fewer = [tool for tool in found.tools if tool.turns < found.rounds]
    said += [f"{tool.name}: {count(tool.turns, 'turn')} of {found.rounds}" for tool in fewer]
    return said + [f"left out: {name}: {why}" for name, why in found.left_out.items()]


def _times(name: str) -> str:
    """What a generator's mean and quantiles are of."""
    return ours.TIMES if name == OURS else BY_NAME[name].times
