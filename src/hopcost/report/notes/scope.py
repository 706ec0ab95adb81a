"""What all figures of a report have in common: said once. Words of runs in which hopcost starts nothing."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from hopcost.plan.method import METHOD
from hopcost.plan.plan import Plan, PlannedExperiment
from hopcost.plan.turns import Scope, Turns
from hopcost.report.document import Bar
from hopcost.report.formatting import CONFIDENCE_IN_TEXT
from hopcost.statistics.summary.summary import ArmSummary, ExperimentSummary
from hopcost.suites.experiments.expect import Compared
from hopcost.suites.experiments.mix import requests_of

SCOPE = [
    f"(a–b): {CONFIDENCE_IN_TEXT} sure to hold the true figure, in all rows of a column together.",
    "Another hour on this machine may give figures outside these ranges.",
]
AS_THEY_RUN = "They are of these processes in this hour: restarted, or in another hour, they may differ by more."
# Words of runs that start programs, and what they are if servers run already. Names and options stay.
WORD = re.compile(r"(?<![\w=/.:@-])(?:server )?(starts?|Starts?|blocks?|stacks?|Stacks?)(?!\w|[=/@-]|[.:]\w)")
OF_SERVERS = {"start": "batch", "starts": "batches", "block": "batch", "blocks": "batches"}
OF_SERVERS |= {"stack": "server", "stacks": "servers"}
OF_SERVERS |= {word.capitalize(): other.capitalize() for word, other in OF_SERVERS.items()}
OF_SOAKS = {"start": "segment", "starts": "segments"}  # of one start
T = TypeVar("T")


def scope_lines(experiments: list[ExperimentSummary]) -> list[str]:
    """What ranges mean, if there are some; and that no answer was wrong, if none was."""
    arms = [arm for experiment in experiments for arm in experiment.arms if not arm.restarts]
    lines: list[str] = []
    if any(arm.comparisons for arm in arms):
        lines = [SCOPE[0], AS_THEY_RUN] if experiments[0].plan.scope is Scope.PROCESSES else list(SCOPE)
    if not arms or any(_has_errors(arm) for arm in arms):
        return lines
    requests = [request for experiment in experiments for request in requests_of(experiment.plan.workload)]
    is_by_body = all(request.workload.expect.compared is Compared.BODY for request in requests)
    is_checked = is_by_body and all(arm.peer is None for arm in arms)
    return [*lines, "No errors; all bodies identical." if is_checked else "No errors."]


def site_lines(experiments: list[ExperimentSummary]) -> list[str]:
    """What a fleet's machines gave one by one, and what ranges mean there; none without a fleet."""
    sites = {site.site for experiment in experiments for site in experiment.sites}
    if not sites:
        return []
    lines = [
        f"{experiment.plan.name}, {arm.name}: {', '.join(ratios)} of {experiment.plan.baseline}'s throughput"
        for experiment in experiments
        for arm in experiment.arms
        if (ratios := _ratios(experiment, arm.name))
    ]
    if len(sites) >= METHOD.min_hosts:
        return [*lines, f"Ranges are over the means of {len(sites)} machines: they hold for machines of this kind."]
    machine = "one machine" if len(sites) == 1 else f"{len(sites)} machines"
    return [*lines, f"Ranges hold on these machines, {machine}: others of their kind may differ by more."]


def _ratios(experiment: ExperimentSummary, arm: str) -> list[str]:
    """`a 110 %` of each site that measured the arm."""
    return [f"{own.site} {100 * own.throughput[arm]:.0f} %" for own in experiment.sites if arm in own.throughput]


def _has_errors(arm: ArmSummary) -> bool:
    return any(sum(errors.values()) for errors in (arm.errors, *(own.errors for own in arm.beside)))


def is_of_servers(plan: Plan) -> bool:
    """Whether the run started nothing."""
    return any(experiment.scope is Scope.PROCESSES for experiment in plan.experiments)


def of_servers(text: str) -> str:
    """A text about starts of stacks as one about batches of servers.

    >>> of_servers("1 of 6 server starts did not count (--details=starts); start 2: every stack answers")
    '1 of 6 batches did not count (--details=starts); batch 2: every server answers'
    """
    return WORD.sub(lambda match: OF_SERVERS[match[1]], text)


def of_blocks(text: str, experiment: PlannedExperiment) -> str:
    """A text about server starts in words of this experiment's blocks: starts, batches, or a soak's segments."""
    if experiment.scope is Scope.PROCESSES:
        return of_servers(text)
    if experiment.turns is Turns.SOAK:
        return WORD.sub(lambda match: OF_SOAKS.get(match[1], match[0]), text)
    return text


def reworded(element: T) -> T:
    """A document, or an element of one, with all its texts so; it is changed in place."""
    content: Any = element
    if isinstance(content, list):
        content[:] = [reworded(part) for part in content]
    elif isinstance(content, str):
        return of_servers(content)  # type: ignore[return-value]
    elif is_dataclass(content) and not isinstance(content, Bar):
        for part in fields(content):
            setattr(content, part.name, reworded(getattr(content, part.name)))
    return element
