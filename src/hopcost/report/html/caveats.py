"""What a record cannot tell, because of how and where it was measured."""

from __future__ import annotations

from hopcost.errors import printable
from hopcost.plan.method import METHOD
from hopcost.plan.turns import Turns
from hopcost.record.run import Record
from hopcost.report.notes.scope import scope_lines
from hopcost.statistics.summary.summary import ExperimentSummary

FEW_CORES = 4


def lines(record: Record, experiments: list[ExperimentSummary]) -> list[str]:
    """A line for experiment limit of this record."""
    environment, plan = record.environment, record.plan
    cores = environment.get("allowed_cores")
    lines = ["One machine, one hour: on other hardware, kernels and versions the figures differ, and ranks may too."]
    lines += [f"{line[0].upper()}{line[1:]}." for line in scope_lines(experiments)]
    if isinstance(cores, list) and len(cores) < FEW_CORES:
        lines.append(
            f"{len(cores)} cores hold the generator and the stack: nothing here tells how a stack spreads over many."
        )
    if any(experiment.plan.cores.shared for experiment in experiments):
        lines.append("Where the generator shares a core with the stack, throughput holds the generator's cost too.")
    if not any(arm.arm.link_mbit_per_s for experiment in experiments for arm in experiment.plan.arms):
        lines.append(
            "Client and server are on one machine, without a real network: no packet loss, no distance, no network"
            " card's interrupts; the sender pays for the receiver's TCP work."
        )
    if environment.get("hypervisor"):
        lines.append("A virtual machine, whose neighbours come and go: its absolute figures are of that hour.")
    if environment.get("network_namespaces") is False:
        lines.append("The arms shared the host's network: ports and TIME_WAIT of one arm are there for the next.")
    if all(not arm.open_loop for experiment in experiments for arm in experiment.arms):
        lines.append(
            "No response times at an equal offered load: these figures are of stacks at saturation, which nobody wants"
            " to run at."
        )
    if any(experiment.plan.turns is Turns.WHOLE for experiment in experiments):
        lines.append("Whole slices do not take out what drifts within minutes; their intervals are wider for it.")
    if plan.quick:
        lines.append("A quick run: a first answer; a full one has narrower intervals.")
    if any(
        experiment.plan.turns.interleave and experiment.plan.slice_ns < METHOD.max_slice_ns
        for experiment in experiments
    ):
        lines.append(
            f"Slices shorter than {METHOD.max_slice_ns / 1e9:g} s: what comes and goes in an arm, such as a garbage"
            " collection, may fall into step with them and be misread."
        )
    if plan.peer is not None or plan.as_published:
        lines.append("Another load generator's own counts: what it does not check is not checked.")
    lines.append("Nothing here is your application: the more work a request is, the less a hop in front matters.")
    return [printable(line) for line in lines]
