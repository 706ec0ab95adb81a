"""What slow clients and idle connections met beside the fast ones: a line for each kind, a table in the details."""

from __future__ import annotations

from hopcost.programs.generators.beside import BesideKind
from hopcost.report import formatting, notation
from hopcost.report.document import Table
from hopcost.report.tables.keyed import Rows, keyed
from hopcost.statistics.summary.service_time import BesideFigures, Quantile
from hopcost.statistics.summary.summary import ExperimentSummary

HEADER = ["beside", "stack", "answers", "answers/s", "median µs", "p99 µs", "errors", "reopened", "generator CPU %"]
BELOW = [
    "times: of slow clients sent to last byte, of idle connections due to last byte",
    "errors and connections that the server closed (reopened): of whole blocks, warm-up included",
]


def beside_table(group: list[ExperimentSummary]) -> Table | None:
    """A row for each kind and stack; None if there are no such connections."""
    if not any(arm.beside for experiment in group for arm in experiment.arms):
        return None

    def rows(experiment: ExperimentSummary) -> Rows:
        return [
            [kind.words, arm.name, *_cells(figures)]
            for kind in BesideKind
            for arm in experiment.arms
            for figures in arm.beside
            if figures.kind is kind
        ]

    return keyed(group, HEADER, rows, title="slow clients and idle connections", below=BELOW, words=2)


def _cells(figures: BesideFigures) -> list[str]:
    return [
        f"{figures.answers:,}",
        formatting.number(figures.answers_per_s),
        *(formatting.quantile(figures.time_ns[name]) for name in ("p50", "p99")),
        f"{sum(figures.errors.values()):,}",
        f"{figures.reopened:,}",
        f"{100 * figures.generator_cpu:.1f}",
    ]


def beside_lines(experiment: ExperimentSummary) -> list[str]:
    """A line for each kind: what was there, and of each stack the median and what went wrong."""
    lines = []
    for kind in BesideKind:
        figures = [(arm.name, own) for arm in experiment.arms for own in arm.beside if own.kind is kind]
        if figures:
            stacks = ", ".join(f"{name} {_words(own)}" for name, own in figures)
            lines.append(f"Beside them {_what(experiment, kind)}, median {stacks}.")
    return lines


def _what(experiment: ExperimentSummary, kind: BesideKind) -> str:
    """`1,000 slow clients at 30 KB/s`."""
    workload = experiment.plan.workload
    if kind is BesideKind.SLOW and workload.slow_clients is not None:
        slow = workload.slow_clients
        return f"{slow.number:,} slow clients at {rate(slow.bytes_per_s)}"
    if kind is BesideKind.IDLE and workload.idle_connections is not None:
        idle = workload.idle_connections
        return f"{idle.number:,} idle connections, each asking every {idle.every}"
    return kind.words


def _words(figures: BesideFigures) -> str:
    median = figures.time_ns["p50"]
    wrong = [f"{count:,} {error}" for error, count in figures.errors.items() if count]
    if figures.reopened:
        wrong.append(f"{figures.reopened:,} reopened")
    return _time(median) + (f" ({', '.join(wrong)})" if wrong else "")


def _time(quantile: Quantile | None) -> str:
    if quantile is None:
        return "no answer"
    return ("> " if quantile.at_least else "") + notation.time(quantile.ns)


def rate(bytes_per_s: int) -> str:
    """A rate in words.

    >>> rate(30_000), rate(1_500), rate(500), rate(2_000_000)
    ('30 KB/s', '1.5 KB/s', '500 B/s', '2 MB/s')
    """
    for unit, size in (("MB/s", 1_000_000), ("KB/s", 1_000)):
        if bytes_per_s >= size:
            return f"{bytes_per_s / size:g} {unit}"
    return f"{bytes_per_s} B/s"
