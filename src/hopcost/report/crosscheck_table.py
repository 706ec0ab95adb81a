"""A crosscheck as a table and what stands below it."""

from __future__ import annotations

import msgspec

from hopcost.crosscheck import OURS, Crosscheck, Tool
from hopcost.report import Format, markdown, text, words
from hopcost.report.words import ABSENT

HEADER = [
    "generator", "answers/s", "÷ hopcost's [95%]", "p50 ms", "p99 ms", "its CPU µs", "stack's CPU µs",
    "÷ hopcost's [95%]", "errors",
]  # fmt: skip
WHY = (
    "answers/s: correct answers only, by each one's own count and clock; hopcost compares every byte, the others look at"
    " the status at most",
    "p50, p99: by each one's own clock, lowest–highest of the rounds; quantiles of several runs do not merge",
    "CPU µs: per answer, read from outside alike for all: the generator's by wait4 (ours: without opening connections),"
    " the stack's by its processes' clocks",
    "where the generator's core is full, its own cost decides the throughput: a cheaper one gets more answers out of the"
    " same server, and finds it dearer or cheaper per request by how it batches",
)


def render(found: Crosscheck, format: Format) -> str:
    """All of it in one format."""
    if format is Format.JSON:
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"
    head = (
        f"{found.arm}: {found.connections} connections, {found.rounds} rounds of {found.seconds} s each, in shuffled order"
        " against the same running stack"
    )
    rows = [_row(tool) for tool in found.tools]
    if format is Format.MARKDOWN:
        parts = [markdown.escape(head), markdown.grid(HEADER, rows), markdown.bullets(below(found))]
        return "\n\n".join(parts) + "\n"
    return text.page(head, HEADER, rows, below(found))


def below(found: Crosscheck) -> list[str]:
    """What the columns mean, what each one's time is, who is not there."""
    lines = [*WHY, *(f"{tool.name} {tool.version}: {tool.time}" for tool in found.tools)]
    lines += [f"failed: {name}: {message}" for name, message in found.failed.items()]
    lines += [f"not here: {name}; hint: {hint}" for name, hint in found.missing.items()]
    return [words.printable(line) for line in lines]


def _row(tool: Tool) -> list[str]:
    is_ours = tool.name == OURS
    return [
        tool.name,
        words.number(tool.per_s),
        "1" if is_ours else words.interval(tool.ratio),
        _span(tool.p50_ms),
        _span(tool.p99_ms),
        f"{tool.generator_us:.1f}",
        f"{tool.stack_us:.1f}",
        "1" if is_ours else words.interval(tool.stack_ratio),
        words.errors(tool.errors),
    ]


def _span(span: tuple[float, float] | None) -> str:
    return ABSENT if span is None else words.span(span, digits=2)
