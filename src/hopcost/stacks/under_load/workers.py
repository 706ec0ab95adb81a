"""The processes of a stack under load: CPU time of each worker, and those that did not live through it."""

from __future__ import annotations

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.stacks.sandbox import usage
from hopcost.stacks.stack import Stack

COMES_AND_GOES = "a program whose processes come and go says so (`forks` in its program.toml), and needs a cgroup"
RUNS_ALREADY = "a server whose processes come and go is counted by its cgroup: --cgroup"


def are_dealt_connections(stack: Stack) -> bool:
    """Whether the first hop has several workers, so that it is luck which of them gets how many connections.

    Programs whose processes come and go have no such luck: their processes are as many as their connections.
    """
    first = stack.prepared.hops[0].name
    return stack.account_of(first) is None and len(stack.processes.get(first, [])[1:]) > 1


class Workers:
    """Looks at a stack before and after its load."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._before = {hop: {pid: _clock_ns(pid) for pid in pids} for hop, pids in stack.processes.items()}

    def worker_cpu_ns(self) -> dict[str, list[int]]:
        """By hop, CPU time since the beginning of each process but the one that started the others.

        Hops with very many workers are left out.
        """
        cpu_ns = {}
        for hop, pids in self._stack.processes.items():
            before = self._before.get(hop, {})
            workers = pids[1:] or pids
            if len(workers) <= METHOD.max_workers_listed:
                cpu_ns[hop] = [max(0, _clock_ns(pid) - before.get(pid, 0)) for pid in workers]
        return cpu_ns

    def restarts(self) -> dict[str, int]:
        """By hop, how many processes ended since the beginning, if any did: the hop stays, so it replaced them.

        A hop that forks is counted by its cgroup and has no restarts. MeasurementFailed if there are more processes
        than before and none ended: nobody counts their CPU time.
        """
        restarts = {}
        for hop, pids in self._stack.processes.items():
            if self._stack.account_of(hop) is not None:
                continue
            known = self._before.get(hop, {}).keys()
            ended, new = known - set(pids), set(pids) - known
            if new and not ended:
                attached = self._stack.prepared.server is not None
                raise MeasurementFailed(
                    f"{self._stack.arm} has {len(new)} processes that were not there when load began: {new}",
                    RUNS_ALREADY if attached else COMES_AND_GOES,
                )
            if ended:
                restarts[hop] = len(ended)
        return restarts


def _clock_ns(pid: int) -> int:
    """What a process that is gone has used is not known any more."""
    return usage.process_clock_ns(pid) or 0
