"""What a record cannot tell, out of how and where it was made: said before somebody else says it."""

from __future__ import annotations

from hopcost.errors import printable
from hopcost.plan.method import METHOD
from hopcost.plan.slices import are_short
from hopcost.plan.turns import Turns
from hopcost.record.run import Record
from hopcost.statistics.summary.summary import ExperimentSummary

FEW_CORES = 4


def lines(record: Record, experiments: list[ExperimentSummary]) -> list[str]:
    """One for each limit that holds for this record."""
    environment, plan = record.environment, record.plan
    cores = environment.get("allowed_cores")
    said = ["One machine, one hour: on other hardware, kernels and versions the figures differ, and ranks may too."]
    if isinstance(cores, list) and len(cores) < FEW_CORES:
        said.append(
            f"{len(cores)} cores hold the generator and the stack: nothing here tells how a stack spreads over many."
        )
    if any(each.plan.cores.shared for each in experiments):
        said.append("Where the generator shares a core with the stack, throughput holds the generator's cost too.")
    if not any(arm.arm.link_mbit_per_s for each in experiments for arm in each.plan.arms):
        said.append(
            "Client and server are on one machine, without a real network: no packet loss, no distance, no network"
            " card's interrupts; the sender pays for the receiver's TCP work."
        )
    if environment.get("hypervisor"):
        said.append("A virtual machine, whose neighbours come and go: its absolute figures are of that hour.")
    if environment.get("network_namespaces") is False:
        said.append("The arms shared the host's network: ports and TIME_WAIT of one arm are there for the next.")
    if all(not arm.open_loop for each in experiments for arm in each.arms):
        said.append(
            "No response times at an equal offered load: these figures are of stacks at saturation, which nobody wants"
            " to run at."
        )
    if any(each.plan.turns is Turns.WHOLE for each in experiments):
        said.append("Whole slices do not take out what drifts within minutes; their intervals are wider for it.")
    if plan.quick:
        said.append("A quick run: a first answer; a full one has narrower intervals.")
    if any(are_short(each.plan) for each in experiments):
        said.append(
            f"Slices shorter than {METHOD.min_slice_ns // 1_000_000} ms: in them stacks with a hop look up to 8 %"
            " better beside those without."
        )
    if any(each.plan.turns.interleave and each.plan.slice_ns < METHOD.max_slice_ns for each in experiments):
        said.append(
            f"Slices shorter than {METHOD.max_slice_ns / 1e9:g} s: what comes and goes in an arm, such as a garbage"
            " collection, may fall into step with them and be misread."
        )
    if plan.peer is not None or plan.as_published:
        said.append("Another load generator's own counts: what it does not check is not checked.")
    said.append("Nothing here is your application: the more work a request is, the less a hop in front matters.")
    return [printable(line) for line in said]
