"""CPU time of a request by hop, and what the hop in front costs: a row for each hop, a column for each load."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.report import formatting, notation
from hopcost.report.document import Table
from hopcost.report.tables.keyed import Rows, keyed
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.summary import ExperimentSummary

BY_HOP = "µs of CPU time per request, all threads of the hop"
ONE_START = ", from one start"
WAKES = (
    "at a low load a request costs more: the server wakes up for each; at full load it takes many requests each time"
)
COST = "stack with that hop minus stack without it ({without}), per request"


def cpu_table(group: list[ExperimentSummary]) -> Table:
    """CPU µs of each hop at full load, then at each offered load."""
    loads = sorted(
        {(load.share, load.rate_per_s) for experiment in group for arm in experiment.arms for load in arm.open_loop}
    )
    loads = loads if len(group) == 1 else []
    header = ["stack", "hop", "full load", *(f"{notation.rate(per_s)}/s" for _, per_s in loads)]

    def rows(experiment: ExperimentSummary) -> Rows:
        return [
            [
                arm.name,
                hop,
                formatting.microseconds(arm.cpu_ns_per_request.get(hop)),
                *(formatting.microseconds(arm.cpu_at(share).get(hop)) for share, _ in loads),
            ]
            for arm in experiment.arms
            for hop in arm.cpu_ns_per_request
            if hop != "generator"
        ]

    return keyed(group, header, rows, below=[BY_HOP, *([WAKES] if _costs_more(group[0]) else [])], words=2)


def _costs_more(experiment: ExperimentSummary) -> bool:
    """Whether a request costs more at an offered load than at full load, in most stacks."""
    pairs = [
        (cpu_of_hops(load.cpu_ns_per_request), cpu_of_hops(arm.cpu_ns_per_request))
        for arm in experiment.arms
        for load in arm.open_loop
    ]
    more = [low > full for low, full in pairs if low is not None and full is not None]
    return 2 * sum(more) > len(more)


def hop_cost_table(group: list[ExperimentSummary]) -> Table | None:
    """A row for each stack and load; full load is one of them. None if no stack is another with a hop in front."""
    costs = [cost for experiment in group for cost in experiment.hop_costs]
    if not costs:
        return None
    with_times = any(cost.share is not None for cost in costs)
    header = ["stack", "hop", "offered", "CPU per request"]
    header += ["response, median", "response, p99"] if with_times else []

    def rows(experiment: ExperimentSummary) -> Rows:
        return [
            [
                cost.arm,
                cost.hop,
                formatting.offered(cost.load_per_s) + (ONE_START if cost.starts < METHOD.min_blocks else ""),
                notation.added(cost.cpu_ns),
                notation.added(cost.p50_ns),
                notation.added(cost.p99_ns),
            ][: len(header)]
            for cost in experiment.hop_costs
        ]

    without = ", ".join(dict.fromkeys(cost.without for cost in costs))
    below = [COST.format(without=without)]
    if not with_times:
        below.append("at full load only; a longer run also measures it at an equal offered load")
    return keyed(group, header, rows, title="what the hop in front costs", below=below, words=3)
