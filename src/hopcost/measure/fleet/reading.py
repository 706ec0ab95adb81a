"""What the generator's machine is and does, out of what the scripts print there: pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.machine import conditions, other_load
from hopcost.machine.facts import core_ranges
from hopcost.machine.other_load import ProcessTime, ProgramTime

TICK_NS = 10_000_000  # USER_HZ is 100 on every Linux that the engine runs on
PART = "=="
NOBODY = -1  # no process there is hopcost's parent


class MachineFacts(msgspec.Struct, frozen=True):
    """The generator's machine for the record; None if it does not say."""

    host: str | None
    architecture: str | None
    kernel: str | None
    cpu: str | None
    microcode: str | None
    hypervisor: bool
    allowed_cores: list[int]
    clocksource: str | None
    memory_bytes: int | None
    has_python: bool


def parse_facts(text: str) -> MachineFacts:
    """From the lines of `scripts.FACTS`."""
    values = {key: value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    memory = values.get("memory_kib", "")
    return MachineFacts(
        host=values.get("host") or None,
        architecture=values.get("architecture") or None,
        kernel=values.get("kernel") or None,
        cpu=values.get("cpu") or None,
        microcode=values.get("microcode") or None,
        hypervisor=values.get("hypervisor") == "1",
        allowed_cores=core_ranges(values.get("allowed_cores")),
        clocksource=values.get("clocksource") or None,
        memory_bytes=int(memory) * 1024 if memory.isdigit() else None,
        has_python=bool(values.get("python")),
    )


class MachineReading(NamedTuple):
    """Counters at one moment; None if the kernel does not have them. `reader` is the pid of who read them there."""

    reader: int
    uptime_ns: int
    steal_ns: dict[int, int]  # by core
    swapped_pages: int | None
    throttled_ns: int | None
    processes: list[ProcessTime]


def parse_reading(text: str) -> MachineReading:
    """From what `scripts.READ` prints; MeasurementFailed if it is something else."""
    try:
        reader, uptime, cores, swapping, processes, *quotas = text.split(f"{PART}\n")
        throttled = [ns for quota in quotas if (ns := conditions.throttled_of(quota)) is not None]
        return MachineReading(
            reader=int(reader),
            uptime_ns=round(float(uptime.split()[0]) * 1e9),
            steal_ns=_steal_ns(cores),
            swapped_pages=conditions.swapped_pages(swapping),
            throttled_ns=sum(throttled) if throttled else None,
            processes=[other_load.parse_stat(line) for line in processes.splitlines() if ")" in line],
        )
    except (ValueError, IndexError) as error:
        raise MeasurementFailed(f"the generator's machine answers what nobody understands: {error}") from error


def _steal_ns(text: str) -> dict[int, int]:
    """By core, from the text of /proc/stat.

    >>> _steal_ns("cpu  1 2 3 4 5 6 7 8\\ncpu0 1 2 3 4 5 6 7 8\\nintr 9\\n")
    {0: 80000000}
    """
    lines = [line.split() for line in text.splitlines() if line.startswith("cpu")]
    return {int(name.removeprefix("cpu")): int(fields[7]) * TICK_NS for name, *fields in lines if name != "cpu"}


class MachineChange(NamedTuple):
    """What happened between two readings; `others` used CPU time on the cores in question, most first."""

    elapsed_ns: int
    steal_ns: int
    swapped_pages: int | None
    throttled_ns: int | None
    others: list[ProgramTime]

    @property
    def foreign_cpu_ns(self) -> int:
        """CPU time of others."""
        return sum(program.cpu_ns for program in self.others)


def change(before: MachineReading, after: MachineReading, cores: Sequence[int], engine: str) -> MachineChange:
    """On these cores. What the program `engine` uses is the load's own; a process counts where it ran last.

    A login shell may read a whole environment before it reads the counters: that is hopcost's doing, and no other's.
    By process, not by how busy cores are: interrupts of a network card are nobody's program.
    """
    own = {process.pid for process in [*before.processes, *after.processes] if process.name == engine[:15]}
    own |= {before.reader, after.reader}
    core_of = {process.pid: process.core for process in after.processes}
    programs = other_load.other_programs(_alone(before.processes), _alone(after.processes), NOBODY)
    steal = [after.steal_ns.get(core, 0) - before.steal_ns.get(core, 0) for core in cores]
    return MachineChange(
        elapsed_ns=after.uptime_ns - before.uptime_ns,
        steal_ns=sum(steal),
        swapped_pages=_added(before.swapped_pages, after.swapped_pages),
        throttled_ns=_added(before.throttled_ns, after.throttled_ns),
        others=[program for program in programs if program.pid not in own and core_of.get(program.pid) in cores],
    )


def _alone(processes: Sequence[ProcessTime]) -> list[ProcessTime]:
    """Without what children of SSH logins have used: the engine is one, and has ended."""
    return [process._replace(children_ns=0) if process.name.startswith("sshd") else process for process in processes]


def _added(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before
