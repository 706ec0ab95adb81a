"""What to know beside figures of servers that run already: what a restart may do, who serves, what was compared."""

from __future__ import annotations

import itertools

from hopcost.plan.method import METHOD
from hopcost.plan.turns import Scope
from hopcost.report.notes.verdicts import percent_about
from hopcost.statistics.summary.summary import ExperimentSummary
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.experiments.expect import Compared

ONLY = {
    Compared.MASKED: "Answers change from one to the next: those bytes are not compared.",
    Compared.LENGTH: "Only status and length of the answers are compared.",
    Compared.STATUS: "Only the status of the answers is compared.",
}
TWO = 2


def servers_of(experiment: ExperimentSummary) -> dict[str, RunningServer]:
    """By arm; none if hopcost started the arms."""
    return {
        arm.name: arm.arm.server for arm in experiment.plan.arms if arm.arm.server is not None and arm.copy_of is None
    }


def run_elsewhere(experiment: ExperimentSummary) -> bool:
    """Whether all of them run on other machines."""
    servers = servers_of(experiment)
    return bool(servers) and not any(server.is_here for server in servers.values())


def scope_sentence(experiment: ExperimentSummary) -> list[str]:
    """What the answer is of, and how much a restart may move it; none if hopcost started the arms itself."""
    if experiment.plan.scope is not Scope.PROCESSES:
        return []
    servers = servers_of(experiment)
    number = "two " if len(servers) == TWO else ""
    what = "processes" if all(server.hops for server in servers.values()) else "servers"
    spread = experiment.plan.restart_spread
    restart = (
        "how much a restart moves it is not measured"
        if spread is None
        else f"a restart may move it by {percent_about(spread)}"
    )
    return [f"That is as these {number}{what} run now; {restart}."]


def server_cautions(experiment: ExperimentSummary) -> list[str]:
    """What would be misread: two names of one process, servers without CPU time, answers that differ."""
    servers = servers_of(experiment)
    if not servers:
        return []
    sentences = [
        f"{name} and {other} are served by the same processes."
        for (name, own), (other, its) in itertools.combinations(servers.items(), 2)
        if own.shares_processes(its)
    ]
    unseen = [name for name, server in servers.items() if not server.hops]
    if unseen:
        sentences.append(f"No CPU time of {' and '.join(unseen)}: its processes are not known here.")
    opened = turn_connections(experiment)
    if opened is not None:
        sentences.append(f"{opened[0].upper()}{opened[1:]}.")
    compared = experiment.plan.workload.expect.compared
    return sentences + ([ONLY[compared]] if compared in ONLY else [])


def turn_connections(experiment: ExperimentSummary) -> str | None:
    """That connections lived for one turn, and why; None if they lived longer."""
    reasons = experiment.plan.opened_each_turn
    return f"connections are opened anew for each turn: {'; '.join(reasons)}" if reasons else None


def freezing_lines(experiment: ExperimentSummary) -> list[str]:
    """Whether the servers stood still while others were loaded, and what it does to figures if not."""
    servers = servers_of(experiment)
    if not servers:
        return []
    if all(server.freeze for server in servers.values()):
        return ["each server stood still while the others were loaded (--freeze)"]
    moved = f"{100 * METHOD.not_frozen_bias:.2g} % in the median of measured pairs"
    return [f"not frozen: each server ran on while the others were loaded, which moved figures by {moved}"]
