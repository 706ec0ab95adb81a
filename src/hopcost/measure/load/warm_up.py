"""What new connections need before anything counts."""

from __future__ import annotations

from hopcost.plan.method import METHOD
from hopcost.programs.generators.engine_plan import WarmUp
from hopcost.suites.experiments.workload import Workload


def open_warm_up(workload: Workload) -> WarmUp:
    """Before an offered load: the programs are warm, their connections are new, those of slow clients too."""
    length_ns = METHOD.open_warm_up_ns + arrival_ns(workload)
    return WarmUp(least_ns=length_ns, most_ns=length_ns)


def arrival_ns(workload: Workload) -> int:
    """How long the servers have to do with the first requests of slow clients, which come together."""
    slow = workload.slow_clients
    return 0 if slow is None else METHOD.warm_up_ns_per_slow_client * slow.number
