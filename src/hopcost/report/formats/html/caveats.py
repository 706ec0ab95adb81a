"""What a record cannot tell, because of how and where it was measured."""

from __future__ import annotations

from hopcost.errors import printable
from hopcost.plan.method import METHOD
from hopcost.plan.turns import Turns
from hopcost.record.contents.run import Record
from hopcost.statistics.summary.summary import ExperimentSummary

FEW_CORES = 4


def lines(record: Record, experiments: list[ExperimentSummary]) -> list[str]:
    """A line for each limit of this record."""
    environment, plan = record.environment, record.plan
    cores = environment.get("allowed_cores")
    elsewhere = any(experiment.plan.cores.generator_machine is not None for experiment in experiments)
    lines = ["One machine, one hour: on other hardware, kernels and versions the figures differ, and ranks may too."]
    if isinstance(cores, list) and len(cores) < FEW_CORES and not elsewhere:
        lines.append(
            f"The load generator and the stack share {len(cores)} cores: this does not show how a stack uses many."
        )
    if any(experiment.plan.cores.shared for experiment in experiments):
        lines.append("If the load generator shares a core with the stack, throughput includes the generator's CPU.")
    has_link = any(arm.arm.link_mbit_per_s for experiment in experiments for arm in experiment.plan.arms)
    if not has_link and not elsewhere:
        lines.append(
            "Client and server are on one machine: no packet loss, no distance, no network card. The sender pays for"
            " the receiver's TCP work."
        )
    if environment.get("hypervisor"):
        lines.append("A virtual machine, whose neighbours come and go: its absolute figures are of that hour.")
    if environment.get("network_namespaces") is False:
        lines.append("The stacks shared the host's network: a port that one left in TIME_WAIT is taken for the next.")
    if all(not arm.open_loop for experiment in experiments for arm in experiment.arms):
        lines.append("No response times at an equal offered load: nobody wants to run at full load.")
    if any(experiment.plan.turns is Turns.WHOLE for experiment in experiments):
        lines.append("Stacks that ran one after another differ by what drifts within minutes; ranges are wider for it.")
    if plan.quick:
        lines.append("A quick run is a first answer; a full one has narrower ranges.")
    if any(
        experiment.plan.turns.interleave and experiment.plan.slice_ns < METHOD.max_slice_ns
        for experiment in experiments
    ):
        lines.append(
            f"Slices shorter than {METHOD.max_slice_ns / 1e9:g} s may fall into step with what comes and goes in a"
            " stack, such as a garbage collection, and misread it."
        )
    if plan.peer is not None or plan.as_published:
        lines.append("Another load generator counted: what it does not check is not checked.")
    lines.append("Nothing here is your application: the more work a request is, the less a hop in front matters.")
    return [printable(line) for line in lines]
