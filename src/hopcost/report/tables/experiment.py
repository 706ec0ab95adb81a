"""The tables of an experiment, or of a sweep's points together, and the lines around them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopcost.report import answer as report_answer
from hopcost.report import formatting
from hopcost.report.document import Element, Heading, Lines, Section, Style, Table
from hopcost.report.formatting import ABSENT, CONFIDENCE, interval, verdict
from hopcost.report.notes.conditions import condition_notes
from hopcost.report.notes.surroundings import surroundings_lines
from hopcost.report.notes.verdicts import verdict_lines
from hopcost.report.tables import repeats, sweep
from hopcost.report.tables.hop_cost import hop_cost_table
from hopcost.report.tables.offered_load import offered_load_table
from hopcost.report.tables.peers import peer_table
from hopcost.report.tables.usage import usage_table
from hopcost.statistics.comparisons import CPU, THROUGHPUT
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


@dataclass
class ExperimentTables:
    """The tables of one experiment: its `table`, `further` ones, `notes` on all, and the article's `published` figures.

    A sweep has no `answer`: each of its values has one.
    """

    title: str
    question: str
    table: Table
    notes: Lines
    answer: str = ""
    further: list[Table] = field(default_factory=list)
    published: Table | None = None

    def section(self) -> Section:
        """The elements in the order of text and Markdown."""
        heading: list[Element] = [Heading(self.title, about=self.question)]
        if self.answer:
            heading.append(Lines([self.answer], Style.PARAGRAPHS))
        published = [self.published] if self.published is not None else []
        return [*heading, self.table, *self.further, self.notes, *published]


def tables(experiments: list[ExperimentSummary]) -> list[ExperimentTables]:
    """The tables of each experiment; all points of a sweep share theirs."""
    return [group_tables(group) for group in groups(experiments)]


def groups(experiments: list[ExperimentSummary]) -> list[list[ExperimentSummary]]:
    """Experiments that share a table: the points of a sweep; any other experiment is alone."""
    grouped: list[list[ExperimentSummary]] = []
    for experiment in experiments:
        if grouped and _sweep(experiment) is not None and _sweep(experiment) == _sweep(grouped[-1][0]):
            grouped[-1].append(experiment)
        else:
            grouped.append([experiment])
    return grouped


def group_tables(group: list[ExperimentSummary]) -> ExperimentTables:
    """The tables of such a group, with those that any experiment may have: other generators' figures, memory, ports."""
    tables = _group_tables(group)
    tables.further += [table for table in (peer_table(group), usage_table(group)) if table is not None]
    return tables


def _group_tables(group: list[ExperimentSummary]) -> ExperimentTables:
    plan = group[0].plan
    title = _sweep(group[0]) or plan.name
    if any(experiment.repeats for experiment in group):
        return ExperimentTables(title, plan.question, repeats.repeats_table(group), Lines(repeats.notes(group)))
    if _sweep(group[0]) is None:
        return experiment_tables(group[0])
    return ExperimentTables(title, plan.question, sweep.sweep_table(group), Lines(sweep.notes(group)))


def _sweep(experiment: ExperimentSummary) -> str | None:
    return None if experiment.plan.point is None else experiment.plan.point.experiment


def experiment_tables(experiment: ExperimentSummary) -> ExperimentTables:
    """The tables of one experiment that is no point of a sweep."""
    further = (hop_cost_table(experiment), offered_load_table(experiment))
    lines = [
        *verdict_lines(experiment),
        *(note.text for note in condition_notes(experiment)),
        *surroundings_lines([experiment]),
    ]
    return ExperimentTables(
        experiment.plan.name,
        experiment.plan.question,
        _table(experiment),
        Lines(lines),
        report_answer.sentence(experiment),
        [table for table in further if table is not None],
        _published(experiment),
    )


def _table(experiment: ExperimentSummary) -> Table:
    """A row for each arm."""
    hops = hops_of(experiment)
    header = ["arm", "answers/s", f"ratio [{CONFIDENCE}]", "verdict", *(f"{hop} µs" for hop in hops)]
    header += [f"CPU ratio [{CONFIDENCE}]", "CPU verdict"]
    with_service_time = not any(arm.open_loop for arm in experiment.arms)  # otherwise response times say more
    header += ["p50 µs", "p99 µs", "errors"] if with_service_time else ["errors"]
    rows = []
    for arm in experiment.arms:
        is_baseline = arm.name == experiment.plan.baseline
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
    return Table(header, rows)


def _published(experiment: ExperimentSummary) -> Table | None:
    """The article's figures beside ours, as ratios to the control group of each; None if it has none."""
    arms = [arm for arm in experiment.arms if arm.published is not None]
    if not arms:
        return None
    with_cpu = any(arm.published.cpu_percent is not None for arm in arms if arm.published is not None)
    header = ["arm", "article's requests/s", "mean ms", "errors", "its ratio", "measured ratio"]
    header += ["its CPU %", "measured CPU %"] if with_cpu else []
    rows = [_published_cells(arm, is_baseline=arm.name == experiment.plan.baseline)[: len(header)] for arm in arms]
    below = [f"the article's conditions: {experiment.plan.published_conditions}"]
    if with_cpu:
        cores = formatting.count(len(experiment.plan.cores.stack), "core")
        below.append(f"measured CPU %: CPU time of all hops ÷ its time × {cores}")
    return Table(header, rows, below=below)


def _published_cells(arm: ArmSummary, *, is_baseline: bool) -> list[str]:
    row = arm.published
    assert row is not None, "the caller picks arms with published figures"
    return [
        arm.name,
        formatting.number(row.throughput_per_s),
        ABSENT if row.latency_mean_ms is None else f"{row.latency_mean_ms:.1f}",
        formatting.published_errors(row),
        formatting.ratio(arm.published_ratio),
        "1" if is_baseline else interval(arm.ratio),
        formatting.number(row.cpu_percent),
        formatting.number(arm.cpu_percent),
    ]


def hops_of(experiment: ExperimentSummary) -> list[str]:
    """All hops of all arms; the one next to the client comes first."""
    longest_first = sorted(experiment.arms, key=lambda arm: -len(arm.cpu_ns_per_request))
    names = dict.fromkeys(hop for arm in longest_first for hop in arm.cpu_ns_per_request)
    return [hop for hop in names if hop != "generator"]
