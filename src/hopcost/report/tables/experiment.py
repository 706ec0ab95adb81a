"""Which experiments share a section of a report: the points of a sweep; any other experiment is alone."""

from __future__ import annotations

from hopcost.statistics.summary.summary import ExperimentSummary


def groups(experiments: list[ExperimentSummary]) -> list[list[ExperimentSummary]]:
    """The experiments in their order."""
    grouped: list[list[ExperimentSummary]] = []
    for experiment in experiments:
        if grouped and _sweep(experiment) is not None and _sweep(experiment) == _sweep(grouped[-1][0]):
            grouped[-1].append(experiment)
        else:
            grouped.append([experiment])
    return grouped


def group_title(group: list[ExperimentSummary]) -> str:
    """The name of the experiment, or of the sweep."""
    return _sweep(group[0]) or group[0].plan.name


def hops_of(experiment: ExperimentSummary) -> list[str]:
    """All hops of all arms; the one next to the client comes first."""
    longest_first = sorted(experiment.arms, key=lambda arm: -len(arm.cpu_ns_per_request))
    names = dict.fromkeys(hop for arm in longest_first for hop in arm.cpu_ns_per_request)
    return [hop for hop in names if hop != "generator"]


def _sweep(experiment: ExperimentSummary) -> str | None:
    return None if experiment.plan.point is None else experiment.plan.point.experiment
