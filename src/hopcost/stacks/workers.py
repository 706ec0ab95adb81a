"""The processes of a stack under load: CPU time of each worker, and those that did not live through it."""

from __future__ import annotations

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.stacks.sandbox import usage
from hopcost.stacks.stack import RunningStack


class Workers:
    """Looks at a stack before and after its load."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self._before = {hop: {pid: _clock_ns(pid) for pid in pids} for hop, pids in stack.processes.items()}

    def worker_cpu_ns(self) -> dict[str, list[int]]:
        """By hop, CPU time since the beginning of each process but the one that started the others.

        Without the hops of more than 64 workers.
        """
        found = {}
        for hop, pids in self._stack.processes.items():
            before = self._before.get(hop, {})
            workers = pids[1:] or pids
            if len(workers) <= METHOD.max_workers_listed:
                found[hop] = [max(0, _clock_ns(pid) - before.get(pid, 0)) for pid in workers]
        return found

    def restarts(self) -> dict[str, int]:
        """By hop, the processes that ended since the beginning, where any did: a hop that stays lost and replaced them.

        A hop whose processes come and go, counted by its cgroup, has none. MeasurementFailed where there are more than
        before and none ended: nobody counts the CPU time of those.
        """
        found = {}
        for hop, pids in self._stack.processes.items():
            if self._stack.account_of(hop) is not None:
                continue
            known = self._before.get(hop, {}).keys()
            ended, new = known - set(pids), set(pids) - known
            if new and not ended:
                raise MeasurementFailed(
                    f"{self._stack.arm} has {len(new)} processes that were not there when load began: {new}",
                    "a program whose processes come and go says so (`forks` in its program.toml), and needs a cgroup",
                )
            if ended:
                found[hop] = len(ended)
        return found


def _clock_ns(pid: int) -> int:
    """What a process that is gone has used is not known any more."""
    return usage.process_clock_ns(pid) or 0
