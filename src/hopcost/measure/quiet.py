"""Other programs on the machine: the wait for quiet before the first block, and what they took while one was loaded.

A busy neighbour does not only widen intervals: it can turn a verdict round.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from hopcost.errors import CannotMeasure
from hopcost.machine import other_load
from hopcost.machine.other_load import OtherPrograms
from hopcost.measure.rig import Rig
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.method import METHOD
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import OtherProgram
from hopcost.stacks.stack import Stack
from hopcost.statistics.validity.others import NAMED_MOST, NAMED_SHARE

HINT = "stop them, or give --anyway: figures without verdicts"


class Outside:
    """CPU time that neither the stacks, the generator, this process nor the kernel's threads use, from now on.

    Services that the stacks' apps use are no others.
    """

    def __init__(self, rig: Rig, stacks: Sequence[Stack], cores: list[int]) -> None:
        self.rig = rig
        self.stacks = stacks
        self.cores = cores
        self._processes = rig.processes()
        self._busy_ns = self._outside_ns()

    def put_into(self, block: Block, generator_cpu_ns: int) -> None:
        """Add what others took of these cores since the beginning, and who they were. The generator must have ended.

        `generator_cpu_ns` is what it used on this machine.
        """
        taken_ns, processes = self._outside_ns() - self._busy_ns - generator_cpu_ns, self.rig.processes()
        taken_ns -= other_load.kernel_ns(self._processes, processes, self.cores)
        programs = other_load.other_programs(self._processes, processes, os.getpid())
        pids = {pid for stack in self.stacks for service in stack.services for pid in service.pids}
        programs, served_ns = other_load.without_families(programs, self._processes, processes, pids, self.cores)
        if any(stack.prepared.server is not None and stack.prepared.server.is_unseen for stack in self.stacks):
            return  # its CPU time would count as others'
        block.foreign_cpu_ns = (block.foreign_cpu_ns or 0) + max(0, taken_ns - served_ns)
        attached = self._attached_pids()
        programs = [program for program in programs if program.pid not in attached]
        block.others = busiest(
            [*block.others, *(OtherProgram(program.name, program.pid, program.cpu_ns) for program in programs)]
        )

    def _outside_ns(self) -> int:
        """Since boot, without what the stacks' processes and this one have used."""
        used_ns = {account: ns for stack in self.stacks for account, ns in stack.cpu_by_account().items()}
        return self.rig.busy_ns(self.cores) - sum(used_ns.values()) - self.rig.own_cpu_ns()

    def _attached_pids(self) -> set[int]:
        """The processes of running servers: no descendants of this one, and not others' programs."""
        running = [stack for stack in self.stacks if stack.prepared.server is not None]
        return {pid for stack in running for pids in stack.processes.values() for pid in pids}


def busiest(programs: Sequence[OtherProgram]) -> list[OtherProgram]:
    """Those that took most over several loads, most first."""
    total_ns: dict[tuple[str, int], int] = {}
    for program in programs:
        key = (program.name, program.pid)
        total_ns[key] = total_ns.get(key, 0) + program.cpu_ns
    merged = [OtherProgram(name, pid, cpu_ns) for (name, pid), cpu_ns in total_ns.items()]
    return sorted(merged, key=lambda program: -program.cpu_ns)[: METHOD.max_programs_named]


def wait_for_quiet(rig: Rig, cores: list[int], run_watcher: RunWatcher) -> None:
    """Return once other programs take no more of these cores than a block bears; CannotMeasure if they do not stop.

    Quiet means the limit that voids a block. A neighbour below it makes blocks suspect and verdicts no wrong ones.
    """
    deadline_s, count = rig.now_s() + METHOD.quiet_wait_s, len(cores)
    while (others := rig.watch_others(cores)).share > METHOD.max_foreign_share:
        left_s = deadline_s - rig.now_s()
        if left_s <= 0:
            raise CannotMeasure(
                f"other programs take {percent(others.share)} of the CPU time of {count} cores: {who(others, count)};"
                f" hopcost waited {METHOD.quiet_wait_s:g} s for quiet",
                HINT,
            )
        run_watcher.waits_for_quiet(who(others, count), left_s)
    if others.share >= METHOD.suspect_foreign_share:
        run_watcher.is_not_quiet(who(others, count))


def who(others: OtherPrograms, cores: int) -> str:
    """Who takes which share of so many cores: `python3 (pid 12) takes 50 %`."""
    taken = [(program, program.cpu_ns / (others.elapsed_ns * cores)) for program in others.programs[:NAMED_MOST]]
    words = [
        f"{program.name} (pid {program.pid}) takes {percent(share)}"
        for program, share in taken
        if share >= NAMED_SHARE * others.share
    ]
    return ", ".join(words) or "programs that cannot be seen from here"


def percent(share: float) -> str:
    """`35 %`."""
    return f"{100 * share:.0f} %"
