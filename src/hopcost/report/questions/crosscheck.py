"""A crosscheck: which generators agree with hopcost's engine, a row for each, and what stands against a figure."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.programs.generators.peers import BY_NAME, ours
from hopcost.report import Result, notation
from hopcost.report.brief.words import listed
from hopcost.report.document import Bar, BarRow, Bars, Document, Fold, Heading, Lines, Style, Table
from hopcost.report.formatting import ABSENT, CONFIDENCE, count, errors, interval, number, span
from hopcost.report.questions.closing import closing_lines
from hopcost.statistics.intervals import ONE
from hopcost.statistics.questions.crosscheck import OURS, Crosscheck, Tool

HEADER = ["", "answers/s", "of hopcost's", "", "its CPU", "server's CPU", ""]
DETAILS = [
    *("generator", "answers/s", f"÷ hopcost's [{CONFIDENCE}]", "mean ms", "p50 ms", "p99 ms", "in flight"),
    *("busy", "its CPU µs", "stack's CPU µs", f"÷ hopcost's [{CONFIDENCE}]", "errors"),
]
BELOW = [
    "Figures are medians over turns, p50 and p99 lowest–highest of the turns: quantiles of several runs do not merge."
    " Every range holds by itself.",
    "answers/s: correct ones, by the generator's own count and clock. hopcost's engine compares every byte, the others"
    " look at the status, ab at the length too.",
    "in flight: its throughput × its mean time ÷ connections (Little's law): the share of connections that waited for"
    " an answer by its own figures. Below 100 % it kept connections idle, or its clock left something out.",
    "busy: its CPU time ÷ wall time of its cores, starting and printing included. At 100 % it measures itself.",
    "CPU µs: per answer, read from outside alike for all; the stack's is that of all hops.",
]
MOST_CAUTIONS = 3
LEAST_IN_FLIGHT = 0.95


def crosscheck_report(crosscheck: Crosscheck, *, details: bool = False) -> Result:
    """The crosscheck as a result."""
    return Result(lambda: document(crosscheck, details=details), lambda: crosscheck)


def document(crosscheck: Crosscheck, *, details: bool = False) -> Document:
    """The sentence, a row for each generator, cautions, what to do next."""
    most = max((_high(tool) for tool in crosscheck.tools), default=1.0)
    rows = [_row(tool, most) for tool in crosscheck.tools]
    every_figure = Table(DETAILS, [_details(tool) for tool in crosscheck.tools], below=_below(crosscheck))
    return Document(
        [
            [Heading(_title(crosscheck)), Lines([sentence(crosscheck)], Style.ANSWER)],
            [Bars(HEADER, rows, _cautions(crosscheck))],
            [Lines(closing_lines(None, *_next(crosscheck)), Style.VERSE)],
            [Fold("Details", [every_figure], is_open=details)],
        ]
    )


def _title(crosscheck: Crosscheck) -> str:
    """`hopcost crosscheck · hello/one-core/go · 64 connections · 6 rounds of 2 s`."""
    rounds = f"{count(crosscheck.rounds, 'round')} of {crosscheck.seconds} s"
    return " · ".join(["hopcost crosscheck", crosscheck.arm, count(crosscheck.connections, "connection"), rounds])


def sentence(crosscheck: Crosscheck) -> str:
    """`wrk and ab agree with hopcost. oha counts 65 % (57–75) of its throughput, hey 24 % (21–28).`"""
    others = [tool for tool in crosscheck.tools if tool.name != OURS]
    if not others:
        return "No other generator could load it here."
    agreeing = [tool.name for tool in others if _agrees(tool)]
    apart = [(tool.name, notation.share(tool.ratio)) for tool in others if not _agrees(tool)]
    words = [f"{listed(agreeing)} {'agrees' if len(agreeing) == 1 else 'agree'} with hopcost."] if agreeing else []
    if apart:
        (name, share), *rest = apart
        first = f"{name} counts {share} of hopcost's throughput"
        words.append(f"{', '.join([first, *(f'{name} {share}' for name, share in rest)])}.")
    return " ".join(words)


def _agrees(tool: Tool) -> bool:
    """Whether no difference from hopcost's throughput is shown."""
    ratio = tool.ratio
    return ratio is not None and ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high


def _high(tool: Tool) -> float:
    """The high end of its bar."""
    ratio = ONE if tool.name == OURS else tool.ratio
    return 0.0 if ratio is None else ratio.high or ratio.value


def _row(tool: Tool, most: float) -> BarRow:
    is_ours = tool.name == OURS
    ratio, stack_ratio = (ONE, ONE) if is_ours else (tool.ratio, tool.stack_ratio)
    bar = None if ratio is None else Bar(ratio.low or ratio.value, ratio.high or ratio.value, most)
    cells = [*notation.share_parts(ratio), notation.time(tool.generator_ns), *notation.share_parts(stack_ratio)]
    return BarRow(tool.name, [notation.rate(tool.per_s)], bar, cells)


def _cautions(crosscheck: Crosscheck) -> list[str]:
    """What changes the reading of a row, at most three; then what was not measured."""
    cautions = []
    for tool in crosscheck.tools:
        if any(tool.errors.values()):
            cautions.append(f"! {tool.name} had errors: {errors(tool.errors)}.")
        if tool.turns < crosscheck.rounds:
            cautions.append(f"! {tool.name} had {count(tool.turns, 'turn')} of {crosscheck.rounds}.")
    full = [tool.name for tool in crosscheck.tools if tool.busy >= METHOD.full_share]
    if full:
        cautions.append(f"! The cores of {listed(full)} were full: there the figure is the generator's own limit.")
    idle = [tool.name for tool in crosscheck.tools if tool.in_flight is not None and tool.in_flight < LEAST_IN_FLIGHT]
    if idle:
        cautions.append(f"! {listed(idle)} kept connections idle, or left some time out (--details: in flight).")
    left = len(cautions) - MOST_CAUTIONS
    more = [f"{count(left, 'more caution')}: --details"] if left > 0 else []
    reasons = {name: why.rpartition("hint: ")[2].removeprefix(f"{name} ") for name, why in crosscheck.left_out.items()}
    absent = [f"{name} ({reason})" for name, reason in reasons.items()]
    return [*cautions[:MOST_CAUTIONS], *more, *([f"Not measured: {', '.join(absent)}."] if absent else [])]


def _next(crosscheck: Crosscheck) -> tuple[str, str]:
    """A run with the generator that differs most, or with any; with none, what is missing here."""
    others = [tool for tool in crosscheck.tools if tool.name != OURS]
    if not others:
        return "hopcost doctor", "what is missing here"
    tool = next((tool for tool in reversed(others) if not _agrees(tool)), others[0])
    experiment = crosscheck.arm.rpartition("/")[0]
    return f"hopcost run {experiment} --generator {tool.name}", f"all stacks by {tool.name}"


def _details(tool: Tool) -> list[str]:
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
    cores = f"Every generator had {count(crosscheck.cores, 'core')}. Idle cores: {crosscheck.idle_cores}."
    return [cores, *BELOW, *(f"{tool.name} {tool.version}: {_times(tool.name)}" for tool in crosscheck.tools)]


def _times(name: str) -> str:
    """What a generator times for its mean and quantiles."""
    return ours.TIMES if name == OURS else BY_NAME[name].times
