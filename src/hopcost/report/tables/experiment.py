"""The table of an experiment and the lines around it, as plain strings: what text and Markdown both show."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopcost.report import answer as report_answer
from hopcost.report import formatting
from hopcost.report.document import Part
from hopcost.report.formatting import ABSENT, CONFIDENCE, interval
from hopcost.report.notes import conditions as notes
from hopcost.report.tables import further as tables_further
from hopcost.report.tables import peers, repeats, sweep, usage
from hopcost.report.tables.further import lines, verdict
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.summary.summary import ExperimentSummary


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
    parts = (peers.part(group), usage.part(group))
    table.further = [*table.further, *(part for part in parts if part is not None)]
    return table


def _of_group(group: list[ExperimentSummary]) -> Table:
    first = group[0]
    title = _sweep(first) or first.plan.name
    if any(each.repeats for each in group):
        table = Table(title, first.plan.question, repeats.header(group), repeats.rows(group), [])
        table.below = repeats.below(group)
        return table
    if _sweep(first) is None:
        return experiment_table(first)
    names = sweep.header(group, CONFIDENCE)
    rows = sweep.rows(group, names) if any(each.arms for each in group) else []
    return Table(title, first.plan.question, names, rows, sweep.below(group))


def _sweep(each: ExperimentSummary) -> str | None:
    return None if each.plan.point is None else each.plan.point.experiment


def experiment_table(each: ExperimentSummary) -> Table:
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
        times = [formatting.quantile(arm.service_time_ns.get(name)) for name in ("p50", "p99")]
        rows.append(
            [
                arm.name,
                formatting.throughput(arm),
                "1 (baseline)" if is_baseline else interval(arm.ratio),
                verdict(arm, THROUGHPUT),
                *[formatting.microseconds(arm.cpu_ns_per_request.get(hop)) for hop in hops],
                "1" if is_baseline else interval(arm.cpu_ratio),
                verdict(arm, CPU),
                *(times if with_service_time else []),
                formatting.errors(arm.errors),
            ]
        )
    table = Table(
        title=each.plan.name,
        question=each.plan.question,
        answer=report_answer.sentence(each),
        header=header,
        rows=rows,
        below=[*lines(each), *notes.lines_below(each)],
        further=tables_further.tables(each),
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
            formatting.number(row.throughput_per_s),
            ABSENT if row.latency_mean_ms is None else f"{row.latency_mean_ms:.1f}",
            formatting.published_errors(row),
            formatting.ratio(arm.published_ratio),
            "1" if arm.name == each.plan.baseline else interval(arm.ratio),
        ]
        table.published_rows.append(
            [*cells, formatting.number(row.cpu_percent), formatting.number(arm.cpu_percent)] if with_cpu else cells
        )
    table.published_below = [f"the article's conditions: {each.plan.published_conditions}"]
    if with_cpu:
        table.published_below.append(
            f"measured CPU %: CPU time of all hops ÷ its time × {formatting.cores(len(each.plan.cores.stack))}"
        )


def hops_of(each: ExperimentSummary) -> list[str]:
    """All hops of all arms, those nearest to the client first."""
    longest = sorted(each.arms, key=lambda arm: -len(arm.cpu_ns_per_request))
    return list(dict.fromkeys(hop for arm in longest for hop in arm.cpu_ns_per_request if hop != "generator"))
