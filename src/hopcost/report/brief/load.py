"""The offered load whose CPU and response times the default report shows."""

from __future__ import annotations

from typing import NamedTuple

from hopcost.plan.method import METHOD
from hopcost.report import notation
from hopcost.report.brief.words import baseline_of, others_of, stack_word
from hopcost.report.notation import Parts
from hopcost.statistics.comparisons import CPU
from hopcost.statistics.figures import cpu_of_hops
from hopcost.statistics.summary.hop_cost import HopCost
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary

MOST_TIMES = 4  # in one sentence; of more stacks the first and the last


class Load(NamedTuple):
    """Requests per second, which are this share of what the slowest stack can do. Full load has neither."""

    share: float | None
    per_s: float | None

    @property
    def words(self) -> str:
        """`at 2,600 requests/s`."""
        return "at full load" if self.per_s is None else f"at {notation.rate(self.per_s)} requests/s"

    @property
    def heading(self) -> str:
        """Above the columns with its figures."""
        return self.words if self.per_s is None else f"{self.words} for each"


FULL_LOAD = Load(None, None)


def load_shown(experiment: ExperimentSummary) -> Load:
    """The highest offered load that all stacks carry; the lowest if none is; full load if none counts in enough starts.

    A stack that cannot carry a load has a queue there, and its CPU per request is that of full load.
    """
    few = {load.share for load in experiment.void_loads if load.starts - len(load.void) < METHOD.min_blocks}
    offered = {load.share: load.rate_per_s for arm in experiment.arms for load in arm.open_loop}
    loads = sorted(Load(share, per_s) for share, per_s in offered.items() if share not in few)
    carried = [load for load in loads if all(carries(arm, load) for arm in experiment.arms)]
    return next(iter([*reversed(carried), *loads]), FULL_LOAD)


def carries(arm: ArmSummary, load: Load) -> bool:
    """Whether the stack's figures at that load mean anything."""
    if load.share is None:
        return True
    return load.share not in arm.loads_not_carried and any(figures.share == load.share for figures in arm.open_loop)


def cost_of(experiment: ExperimentSummary, arm: ArmSummary, load: Load) -> HopCost | None:
    """What the stack's first hop costs beside the baseline, at a load that both carry."""
    baseline = baseline_of(experiment)
    if baseline is None or not carries(arm, load) or not carries(baseline, load):
        return None
    if arm.cpu_falls or baseline.cpu_falls:
        return None
    costs = [
        cost
        for cost in experiment.hop_costs
        if (cost.arm, cost.without, cost.share) == (arm.name, baseline.name, load.share)
    ]
    return costs[0] if costs else None


def cpu_parts(experiment: ExperimentSummary, arm: ArmSummary, load: Load) -> Parts:
    """The baseline's own CPU per request; what a hop adds to it; of any other stack its share of the baseline's."""
    if not carries(arm, load) or arm.cpu_falls:
        return notation.ABSENT, ""
    if arm.name == experiment.plan.baseline:
        return notation.time(cpu_of_hops(arm.cpu_at(load.share))), ""
    cost = cost_of(experiment, arm, load)
    if cost is not None:
        return notation.added_parts(cost.cpu_ns)
    comparison = arm.comparison(CPU, load.per_s)
    baseline = baseline_of(experiment)
    if baseline is None or baseline.cpu_falls or not carries(baseline, load):
        return notation.ABSENT, ""
    return notation.share_parts(comparison.ratio if comparison is not None else None)


def median_parts(experiment: ExperimentSummary, arm: ArmSummary, load: Load) -> Parts:
    """The baseline's own median response time; what a hop adds to it; of any other stack its share of that."""
    baseline = baseline_of(experiment)
    if baseline is None or not carries(arm, load) or not carries(baseline, load) or arm.cpu_falls:
        return notation.ABSENT, ""
    if arm is baseline:
        times = (figures.response_time_ns.get("p50") for figures in arm.open_loop if figures.share == load.share)
        return notation.time(next(times, None)), ""
    cost = cost_of(experiment, arm, load)
    if cost is not None:
        return notation.added_parts(cost.p50_ns)
    comparison = arm.comparison("response_p50", load.per_s)
    return notation.share_parts(comparison.ratio if comparison is not None else None)


def has_medians(experiment: ExperimentSummary, load: Load) -> bool:
    """Whether there is a median response time to show beside the baseline's."""
    if load.share is None:
        return False
    return any(median_parts(experiment, arm, load)[0] != notation.ABSENT for arm in others_of(experiment))


def median_line(experiment: ExperimentSummary, load: Load) -> str:
    """The baseline's median response time at that load, and those of the others, as long as they are few."""
    baseline = baseline_of(experiment)
    assert baseline is not None, "whoever asks has seen medians"
    others = [
        f"{arm.name} {' '.join(filter(None, parts))}"
        for arm in others_of(experiment)
        if (parts := median_parts(experiment, arm, load))[0] != notation.ABSENT
    ]
    shown = others if len(others) <= MOST_TIMES else [others[0], others[-1]]
    own = median_parts(experiment, baseline, load)[0]
    more = f" ({len(others) - len(shown)} more: --details=load)" if len(others) > len(shown) else ""
    at = f"Median response time at {notation.rate(load.per_s)}/s"
    return f"{at}: {stack_word(baseline)} {own}; {', '.join(shown)}{more}."
