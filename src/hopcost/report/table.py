"""The table of an experiment and the lines around it, as plain strings: what text and Markdown both show."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hopcost.compared import CPU, THROUGHPUT
from hopcost.record import Record
from hopcost.report import answer, further, peer_table, repeats_table, sweep_table, usage_table, words
from hopcost.report import lines as notes
from hopcost.report.part import Part
from hopcost.report.words import ABSENT
from hopcost.report.words import interval as interval
from hopcost.summary import ExperimentSummary

CONFIDENCE = "95%"  # of all intervals of an experiment together


@dataclass
class Table:
    """One experiment for the eye: `header` and all `rows` have as many cells; the first column is words.

    A sweep has no `answer` of its own: each of its values has one.
    """

    title: str
    question: str
    header: list[str]
    rows: list[list[str]]
    below: list[str]
    answer: str = ""
    further: list[Part] = field(default_factory=list)
    published_header: list[str] = field(default_factory=list)
    published_rows: list[list[str]] = field(default_factory=list)
    published_below: list[str] = field(default_factory=list)


def head(record: Record) -> list[str]:
    """What stands above all tables: what was run, where, what the record lacks, and the suite's own words."""
    return [title(record), *about(record), *warnings(record), *analysis(record)]


def title(record: Record) -> str:
    """The suite's title and name."""
    plan = record.plan
    return words.printable(f"{plan.title} ({plan.suite}{', quick' if plan.quick else ''})")


def about(record: Record) -> list[str]:
    """What ran, by which method, when and where."""
    environment = record.environment
    return [
        words.printable(
            f"hopcost {record.run.hopcost}, method {record.run.method}, {record.run.started_utc},"
            f" seed {record.plan.seed}; "
            f"{environment.get('cpu') or 'unknown CPU'}, {_cores(environment)}, kernel {environment.get('kernel')}"
        )
    ]


def warnings(record: Record) -> list[str]:
    """What the record lacks."""
    lines = []
    if record.run.ended_utc is None:
        lines.append("the run did not end by itself: what follows is what it had done")
    lines += [f"warning: {warning}" for warning in record.warnings]
    for each in record.plan.left_out:
        lines.append(
            f"left out: experiment {each.name}: {each.reason}" + (f"; hint: {each.remedy}" if each.remedy else "")
        )
    return [words.printable(line) for line in lines]


def analysis(record: Record) -> list[str]:
    """The suite's own words on what it asks, a string for each paragraph."""
    paragraphs = re.split(r"\n\s*\n", record.plan.analysis)
    return [words.printable(" ".join(each.split())) for each in paragraphs if each.strip()]


def _cores(environment: dict[str, object]) -> str:
    allowed = environment.get("allowed_cores")
    return f"{len(allowed)} cores" if isinstance(allowed, list) else "unknown cores"


def tables(experiments: list[ExperimentSummary]) -> list[Table]:
    """One table for an experiment, one for all points of a sweep."""
    return [of_group(group) for group in groups(experiments)]


def groups(experiments: list[ExperimentSummary]) -> list[list[ExperimentSummary]]:
    """Experiments that share a table: the points of a sweep, else each alone."""
    found: list[list[ExperimentSummary]] = []
    for each in experiments:
        if found and _sweep(each) is not None and _sweep(each) == _sweep(found[-1][0]):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def of_group(group: list[ExperimentSummary]) -> Table:
    """The table of one of these groups."""
    return _with_parts(_of_group(group), group)


def _with_parts(table: Table, group: list[ExperimentSummary]) -> Table:
    """With the tables that any experiment may have: other generators' own figures, memory and ports."""
    parts = (peer_table.part(group), usage_table.part(group))
    table.further = [*table.further, *(part for part in parts if part is not None)]
    return table


def _of_group(group: list[ExperimentSummary]) -> Table:
    first = group[0]
    title = _sweep(first) or first.plan.name
    if any(each.repeats for each in group):
        table = Table(title, first.plan.question, repeats_table.header(group), repeats_table.rows(group), [])
        table.below = repeats_table.below(group)
        return table
    if _sweep(first) is None:
        return of(first)
    names = sweep_table.header(group, CONFIDENCE)
    rows = sweep_table.rows(group, names) if any(each.arms for each in group) else []
    return Table(title, first.plan.question, names, rows, sweep_table.below(group))


def _sweep(each: ExperimentSummary) -> str | None:
    return None if each.plan.point is None else each.plan.point.experiment


def of(each: ExperimentSummary) -> Table:
    """The table of one experiment."""
    hops = hops_of(each)
    header = ["arm", "answers/s", f"ratio [{CONFIDENCE}]", "verdict"]
    header += [f"{hop} µs" for hop in hops]
    header += [f"CPU ratio [{CONFIDENCE}]", "CPU verdict"]
    with_service_time = not any(arm.open_loop for arm in each.arms)  # else there are response times, which say more
    header += ["p50 µs", "p99 µs", "errors"] if with_service_time else ["errors"]
    rows = []
    for arm in each.arms:
        is_baseline = arm.name == each.plan.baseline
        times = [words.quantile(arm.service_time_ns.get(name)) for name in ("p50", "p99")]
        rows.append(
            [
                arm.name,
                words.throughput(arm),
                "1 (baseline)" if is_baseline else interval(arm.ratio),
                further.verdict(arm, THROUGHPUT),
                *[words.microseconds(arm.cpu_ns_per_request.get(hop)) for hop in hops],
                "1" if is_baseline else interval(arm.cpu_ratio),
                further.verdict(arm, CPU),
                *(times if with_service_time else []),
                words.errors(arm.errors),
            ]
        )
    table = Table(
        title=each.plan.name,
        question=each.plan.question,
        answer=answer.sentence(each),
        header=header,
        rows=rows,
        below=[*further.lines(each), *notes.below(each)],
        further=further.tables(each),
    )
    if any(arm.published is not None for arm in each.arms):
        _add_published(table, each)
    return table


def _add_published(table: Table, each: ExperimentSummary) -> None:
    """The article's own figures, beside ours as ratios to each one's control group."""
    rows = [arm.published for arm in each.arms if arm.published is not None]
    with_cpu = any(row.cpu_percent is not None for row in rows)
    table.published_header = ["arm", "article's requests/s", "mean ms", "errors", "its ratio", "measured ratio"]
    if with_cpu:
        table.published_header += ["its CPU %", "measured CPU %"]
    for arm in each.arms:
        row = arm.published
        if row is None:
            continue
        cells = [
            arm.name,
            words.number(row.throughput_per_s),
            ABSENT if row.latency_mean_ms is None else f"{row.latency_mean_ms:.1f}",
            words.published_errors(row),
            words.ratio(arm.published_ratio),
            "1" if arm.name == each.plan.baseline else interval(arm.ratio),
        ]
        table.published_rows.append(
            [*cells, words.number(row.cpu_percent), words.number(arm.cpu_percent)] if with_cpu else cells
        )
    table.published_below = [f"the article's conditions: {each.plan.published_conditions}"]
    if with_cpu:
        table.published_below.append(
            f"measured CPU %: CPU time of all hops ÷ its time × {words.cores(len(each.plan.cores.stack))}"
        )


def hops_of(each: ExperimentSummary) -> list[str]:
    """All hops of all arms, those nearest to the client first."""
    longest = sorted(each.arms, key=lambda arm: -len(arm.cpu_ns_per_request))
    return list(dict.fromkeys(hop for arm in longest for hop in arm.cpu_ns_per_request if hop != "generator"))
