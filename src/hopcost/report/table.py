"""The table of an experiment and the lines around it, as plain strings: what text and Markdown both show."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hopcost.record import Record
from hopcost.report import extras
from hopcost.statistics import Interval
from hopcost.summary import ArmSummary, ExperimentSummary, Quantile

ABSENT = "–"


@dataclass
class Table:
    """One experiment for the eye: `header` and all `rows` have as many cells; the first column is words."""

    title: str
    question: str
    header: list[str]
    rows: list[list[str]]
    below: list[str]
    published_header: list[str] = field(default_factory=list)
    published_rows: list[list[str]] = field(default_factory=list)
    published_below: list[str] = field(default_factory=list)
    repeats: extras.Grid | None = None
    repeats_below: list[str] = field(default_factory=list)


def head(record: Record) -> list[str]:
    """What stands above all tables: what was run, where, and what the record lacks."""
    plan, environment = record.plan, record.environment
    lines = [
        f"{plan.title} ({plan.suite}{', quick' if plan.quick else ''})",
        f"hopcost {record.run.hopcost}, {record.run.started_utc}, seed {plan.seed}; "
        f"{environment.get('cpu') or 'unknown CPU'}, {_cores(environment)}, kernel {environment.get('kernel')}",
    ]
    if record.run.ended_utc is None:
        lines.append("the run did not end by itself: what follows is what it had done")
    lines += [f"warning: {warning}" for warning in record.warnings]
    for each in plan.left_out:
        lines.append(
            f"left out: experiment {each.name}: {each.reason}" + (f"; hint: {each.remedy}" if each.remedy else "")
        )
    if plan.analysis:
        lines.append(" ".join(plan.analysis.split()))
    return [_printable(line) for line in lines]


def _cores(environment: dict[str, object]) -> str:
    allowed = environment.get("allowed_cores")
    return f"{len(allowed)} cores" if isinstance(allowed, list) else "unknown cores"


def of(each: ExperimentSummary) -> Table:
    """The table of one experiment."""
    hops = _hops(each)
    header = ["arm", "answers/s", f"ratio [{_percent(1 - each.error)}]"]
    header += [f"{hop} µs" for hop in hops]
    header += ["generator µs", "p50 µs", "p99 µs", "errors", "CPU outside"]
    with_published = any(arm.published_ratio is not None for arm in each.arms)
    with_figures = any(arm.published is not None for arm in each.arms)
    if with_published:
        header.append("article's ratio")
    rows = []
    for arm in each.arms:
        row = [
            arm.name,
            _number(arm.throughput_per_s),
            "1 (baseline)" if arm.name == each.plan.baseline else interval(arm.ratio),
            *[_microseconds(arm.cpu_ns_per_request.get(hop)) for hop in hops],
            _microseconds(arm.cpu_ns_per_request.get("generator")),
            _quantile(arm.service_time_ns.get("p50")),
            _quantile(arm.service_time_ns.get("p99")),
            _errors(arm.errors),
            ABSENT if arm.cpu_outside is None else f"{arm.cpu_outside:.2%}",
        ]
        if with_published:
            row.append(ABSENT if arm.published_ratio is None else f"{arm.published_ratio:.2f}")
        rows.append(row)
    table = Table(title=each.plan.name, question=each.plan.question, header=header, rows=rows, below=_below(each))
    if with_figures:
        _add_published(table, each)
    if each.repeats:
        table.repeats = extras.repeats(each)
        table.repeats_below = [_printable(line) for line in extras.repeats_below(each)]
    return table


def _add_published(table: Table, each: ExperimentSummary) -> None:
    """The article's own figures, beside ours as ratios to each one's control group."""
    table.published_header = [
        "arm",
        "article's requests/s",
        "mean ms",
        "errors",
        "its ratio",
        "measured ratio",
    ]
    with_cpu = any(arm.published is not None and arm.published.cpu_percent is not None for arm in each.arms)
    if with_cpu:
        table.published_header += ["its CPU", "measured CPU (of a core)"]
    for arm in each.arms:
        row = arm.published
        if row is not None:
            mean = ABSENT if row.latency_mean_ms is None else f"{row.latency_mean_ms:.1f}"
            here = "1" if arm.name == each.plan.baseline else interval(arm.ratio)
            table.published_rows.append(
                [
                    arm.name,
                    _number(row.throughput_per_s),
                    mean,
                    extras.printed(row)[2],
                    ABSENT if arm.published_ratio is None else f"{arm.published_ratio:.2f}",
                    here,
                    *([extras.printed(row)[1], extras.busy(arm)] if with_cpu else []),
                ]
            )
    table.published_below = [f"the article's conditions: {each.plan.published_conditions}"]


def _hops(each: ExperimentSummary) -> list[str]:
    """All hops of all arms, those nearest to the client first."""
    longest = sorted(each.arms, key=lambda arm: -len(arm.cpu_ns_per_request))
    return list(dict.fromkeys(hop for arm in longest for hop in arm.cpu_ns_per_request if hop != "generator"))


def _below(each: ExperimentSummary) -> list[str]:
    lines = []
    if each.arms:
        lines.append(
            f"A/A floor: {each.plan.baseline} against itself is {interval(each.aa_floor)}; nothing finer is told apart"
        )
        compared = [arm.ratio for arm in each.arms if arm.ratio and arm.name != each.plan.baseline]
        widest = max((ratio.half_width for ratio in compared if ratio.half_width is not None), default=None)
        reached = "no interval" if widest is None else f"ratios to ±{widest:.1%} at the widest"
        lines.append(f"{each.blocks} blocks, {reached}" + (f"; stopped: {each.ending.detail}" if each.ending else ""))
        lines.append("µs under a hop and the generator: CPU time per answer, all threads")
        lines.append(
            f"p50, p99: service time, sent → last byte with {each.plan.workload.connections} connections always busy;"
            " it is not what a user waits for"
        )
        lines.append(_bytes(each.arms))
        lines += [f"soak: {line}" for line in extras.drifts(each)]
        if each.drifts:
            lines.append("one start in all: the intervals say nothing of restarts")
    elif each.repeats:
        pass
    elif each.ending:
        lines.append(f"no result: {each.ending.detail}")
    if each.harness_load is not None:
        lines.append(f"hopcost itself took {each.harness_load:.2%} of a core while the engine ran")
    lines += [f"note: {note}" for note in [*each.plan.notes, *each.notes]]
    lines += [f"suspect: block {block.number + 1}: {'; '.join(block.reasons)}" for block in each.suspect]
    lines += [f"void: block {block.number + 1}: {'; '.join(block.reasons)}" for block in each.void]
    for arm in each.arms:
        if sum(arm.errors.values()):
            lines.append(f"{arm.name} had errors: its ratio counts correct answers only and is no verdict on speed")
        if not arm.plateau:
            lines.append(f"{arm.name} reached no plateau in its warm-up")
    for failure in each.failures:
        lines.append(f"failed: {failure.arm}: {failure.message}" + (f"\nhint: {failure.hint}" if failure.hint else ""))
    for left in each.plan.left_out:
        lines.append(f"left out: {left.name}: {left.reason}" + (f"; hint: {left.remedy}" if left.remedy else ""))
    return [_printable(line) for line in lines]


def _printable(line: str) -> str:
    """Control characters shown as such: what a program printed must not steer the terminal that shows it."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", line)


def _bytes(arms: list[ArmSummary]) -> str:
    sizes = {(arm.header_bytes, arm.body_bytes) for arm in arms}
    if len(sizes) == 1:
        header_bytes, body_bytes = sizes.pop()
        return f"every arm answers with {header_bytes} header bytes and {body_bytes} body bytes"
    each = ", ".join(f"{arm.name} {arm.header_bytes} + {arm.body_bytes}" for arm in arms)
    return f"answers differ in size (header + body bytes): {each}"


def interval(ratio: Interval | None) -> str:
    """`0.397 [0.392, 0.402]`."""
    if ratio is None:
        return ABSENT
    ends = "no interval" if ratio.low is None or ratio.high is None else f"{ratio.low:.3f}, {ratio.high:.3f}"
    return f"{ratio.value:.3f} [{ends}]"


def _quantile(quantile: Quantile | None) -> str:
    if quantile is None:
        return ABSENT
    return ("> " if quantile.at_least else "") + f"{quantile.ns / 1000:,.0f}"


def _number(value: float | None) -> str:
    return ABSENT if value is None else f"{value:,.0f}"


def _microseconds(ns: int | None) -> str:
    return ABSENT if ns is None else f"{ns / 1000:.1f}"


def _errors(errors: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in errors.items() if count) or "0"


def _percent(share: float) -> str:
    return f"{share * 100:.4g}%"
