"""Figures at equal offered load, a row for each load and stack; service times at full load; and a mix by request."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.report import formatting, notation
from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT, count, number, verdict
from hopcost.report.tables.keyed import Rows, keyed
from hopcost.statistics.arms.requests import RequestFigures
from hopcost.statistics.comparisons import CPU, P99, P99_UNPROVEN
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.open_loop import OpenFigures
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

TIMES = "response time: from the intended start to the last byte, in µs"
REQUEST_TIMES = "at full load the times are service times, under an offered load response times"
FAILED = "failed: requests without a correct answer, by kind; connections that could not be opened are no request's"
FULL_LOAD = "full load"
SERVICE = "service time: sent to last byte, with {connections} always busy; users see the response time instead"


def offered_load_table(group: list[ExperimentSummary]) -> Table | None:
    """The table; None if no load was offered."""
    shares = sorted({load.share for experiment in group for arm in experiment.arms for load in arm.open_loop})
    if not shares:
        return None
    header = ["offered", "stack", "answered", "CPU µs", "CPU ratio", "CPU verdict"]
    header += ["median µs", "median ratio", "median verdict", "p99 µs", "p99 ratio"]

    def rows(experiment: ExperimentSummary) -> Rows:
        return [
            [f"{number(figures.rate_per_s)}/s", *_cells(arm, figures)]
            for share in shares
            for arm in experiment.arms
            for figures in arm.open_loop
            if figures.share == share
        ]

    of_capacity = " and ".join(f"{100 * share:.0f} %" for share in shares)
    below = [f"Poisson arrivals, the same rate for all: {of_capacity} of what the slowest stack can do", TIMES]
    below += _p99(group)
    return keyed(group, header, rows, title="at equal offered load", below=below, words=2)


def _cells(arm: ArmSummary, figures: OpenFigures) -> list[str]:
    return [
        arm.name,
        ABSENT if figures.answered is None else f"{100 * figures.answered:.1f} %",
        formatting.microseconds(cpu_of_hops(figures.cpu_ns_per_request)),
        *_ratio_and_verdict(arm, CPU, figures.rate_per_s),
        formatting.microseconds(figures.response_time_ns["p50"]),
        *_ratio_and_verdict(arm, "response_p50", figures.rate_per_s),
        formatting.microseconds(figures.response_time_ns["p99"]),
        _ratio_and_verdict(arm, P99, figures.rate_per_s)[0],
    ]


def _p99(group: list[ExperimentSummary]) -> list[str]:
    """Why p99 has no verdict, or why it is not there at all."""
    every = [figures for experiment in group for arm in experiment.arms for figures in arm.open_loop]
    if all(figures.response_time_ns["p99"] is None for figures in every):
        return [f"no p99: it needs {METHOD.min_samples_beyond} requests beyond it, and the run was too short for that"]
    return [f"p99 has no verdict: {P99_UNPROVEN}"]


def _ratio_and_verdict(arm: ArmSummary, figure: str, load_per_s: float) -> list[str]:
    comparison = arm.comparison(figure, load_per_s)
    ratio = notation.ratio(comparison.ratio) if comparison is not None else ABSENT
    return [ratio, verdict(arm, figure, load_per_s)]


def service_time_table(group: list[ExperimentSummary]) -> Table | None:
    """Median and p99 at full load; None if another generator measured: its own times stand apart."""

    def rows(experiment: ExperimentSummary) -> Rows:
        return [
            [arm.name, *(formatting.quantile(arm.service_time_ns.get(name)) for name in ("p50", "p99"))]
            for arm in experiment.arms
            if arm.service_time_ns and arm.peer is None
        ]

    below = [SERVICE.format(connections=count(group[0].plan.workload.connections, "connection"))]
    table = keyed(group, ["stack", "median µs", "p99 µs"], rows, title="service time at full load", below=below)
    return table if table.rows else None


def request_table(group: list[ExperimentSummary]) -> Table | None:
    """The table; None without a mix."""
    if not any(arm.requests for experiment in group for arm in experiment.arms):
        return None

    def rows(experiment: ExperimentSummary) -> Rows:
        loads = dict.fromkeys(request.rate_per_s for arm in experiment.arms for request in arm.requests)
        names = dict.fromkeys(request.request for arm in experiment.arms for request in arm.requests)
        return [
            _request_cells(arm, request)
            for rate_per_s in loads
            for name in names
            for arm in experiment.arms
            for request in arm.requests
            if (request.rate_per_s, request.request) == (rate_per_s, name)
        ]

    header = ["load", "request", "stack", "answers", "failed", "median µs", "p99 µs"]
    return keyed(group, header, rows, title="by request", below=[REQUEST_TIMES, FAILED], words=3)


def _request_cells(arm: ArmSummary, request: RequestFigures) -> list[str]:
    failed = ", ".join(f"{failures} {kind}" for kind, failures in request.errors.items())
    never = f"{request.not_sent} not sent" if request.not_sent else ""
    return [
        FULL_LOAD if request.rate_per_s is None else f"{number(request.rate_per_s)}/s",
        request.request,
        arm.name,
        number(request.answers),
        ", ".join(filter(None, [failed, never])) or ABSENT,
        formatting.microseconds(request.time_ns["p50"]),
        formatting.microseconds(request.time_ns["p99"]),
    ]
