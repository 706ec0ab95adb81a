"""Figures at equal offered load: a row for each load and arm."""

from __future__ import annotations

from hopcost.report.document import Table
from hopcost.report.formatting import ABSENT, CONFIDENCE, interval, microseconds, number, verdict
from hopcost.statistics.comparisons import CPU
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.open_loop import OpenFigures
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary


def offered_load_table(experiment: ExperimentSummary) -> Table | None:
    """The table; None if there was no open loop."""
    loads = dict.fromkeys((load.share, load.rate_per_s) for arm in experiment.arms for load in arm.open_loop)
    if not loads:
        return None
    header = ["offered/s", "arm", "answered", "CPU µs", f"CPU ratio [{CONFIDENCE}]", "CPU verdict"]
    header += [
        "p50 µs",
        f"p50 ratio [{CONFIDENCE}]",
        "p50 verdict",
        "p99 µs",
        f"p99 ratio [{CONFIDENCE}]",
        "p99 verdict",
    ]
    rows = []
    for share, rate_per_s in loads:
        shown = number(rate_per_s)
        for arm in experiment.arms:
            figures = next((load for load in arm.open_loop if load.share == share), None)
            if figures is not None:
                rows.append([shown, *_cells(arm, figures, rate_per_s)])
                shown = ""
    shares = " and ".join(f"{share:.0%}" for share, _ in loads)
    below = [
        f"open loop, Poisson arrivals, the same rate for all arms: {shares} of the slowest one's capacity",
        "p50, p99: response time, intended start → last byte",
    ]
    return Table(header, rows, "at equal offered load", below)


def _cells(arm: ArmSummary, figures: OpenFigures, rate_per_s: float) -> list[str]:
    return [
        arm.name,
        ABSENT if figures.answered is None else f"{figures.answered:.1%}",
        microseconds(cpu_of_hops(figures.cpu_ns_per_request)),
        *_ratio_and_verdict(arm, CPU, rate_per_s),
        microseconds(figures.response_time_ns["p50"]),
        *_ratio_and_verdict(arm, "response_p50", rate_per_s),
        microseconds(figures.response_time_ns["p99"]),
        *_ratio_and_verdict(arm, "response_p99", rate_per_s),
    ]


def _ratio_and_verdict(arm: ArmSummary, figure: str, load_per_s: float) -> list[str]:
    comparison = arm.comparison(figure, load_per_s)
    return [ABSENT if comparison is None else interval(comparison.ratio), verdict(arm, figure, load_per_s)]
