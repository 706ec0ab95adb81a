"""The cost of the hop in front: a row for each arm and load; saturation is one of the loads."""

from __future__ import annotations

from hopcost.report.document import Table
from hopcost.report.formatting import CONFIDENCE, difference, offered
from hopcost.statistics.summary.summary import ExperimentSummary


def hop_cost_table(experiment: ExperimentSummary) -> Table | None:
    """The table; None if no arm is another arm with a hop in front."""
    costs = experiment.hop_costs
    if not costs:
        return None
    with_times = any(cost.share is not None for cost in costs)
    header = ["arm", "hop in front", "offered/s", f"CPU µs per request [{CONFIDENCE}]"]
    header += [f"response p50 µs [{CONFIDENCE}]", f"p99 µs [{CONFIDENCE}]"] if with_times else []
    rows, shown = [], ""
    for cost in costs:
        row = ["" if cost.arm == shown else cost.arm, cost.hop, offered(cost.load_per_s), difference(cost.cpu_ns)]
        shown = cost.arm
        rows.append(row + ([difference(cost.p50_ns), difference(cost.p99_ns)] if with_times else []))
    without = dict.fromkeys(cost.without for cost in costs)
    below = [f"the arm minus the same without that hop ({', '.join(without)}), per request, block by block"]
    if not with_times:
        below.append(
            "at saturation only; at an equal offered load it is another figure, which a long enough full run measures"
        )
    return Table(header, rows, "what the hop costs", below)
