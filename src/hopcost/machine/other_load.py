"""What other programs take of this machine: their CPU time from /proc, by process, and how busy the cores are.

Other programs are all but this process, its descendants (the engine, the stacks) and the kernel's own threads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from hopcost.machine import cpu_time

WATCHED_S = 1.0
NAMES = 3
KERNEL_THREAD = 0x0020_0000  # PF_KTHREAD of the kernel's include/linux/sched.h
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class OtherLoad(NamedTuple):
    """Shares of all cores that were busy and that were stolen, and the programs that used most CPU time."""

    busy: float
    stolen: float
    busiest: list[str]


class ProcessTime(NamedTuple):
    """A process at one moment: `cpu_ns` is its own since it began, `children_ns` that of children that have ended.

    `core` is the last one it ran on. `is_kernel` marks a thread of the kernel.
    """

    pid: int
    parent: int
    name: str
    began_ticks: int
    cpu_ns: int
    children_ns: int
    core: int = 0
    is_kernel: bool = False


class ProgramTime(NamedTuple):
    """CPU time that a program of somebody else used, that of its short-lived children included."""

    name: str
    pid: int
    cpu_ns: int


class OtherPrograms(NamedTuple):
    """The share of these cores' time that other programs took, and those that took most of it."""

    share: float
    elapsed_ns: int
    programs: list[ProgramTime]


def watch() -> OtherLoad:
    """Watch all cores for a second, while nothing of hopcost runs."""
    steal, before, began = cpu_time.steal_ns(), processes(), time.monotonic_ns()
    busy = psutil.cpu_percent(interval=WATCHED_S) / 100
    elapsed_ns = (time.monotonic_ns() - began) * (psutil.cpu_count() or 1)
    stolen = (cpu_time.steal_ns() - steal) / elapsed_ns
    programs = other_programs(before, processes(), os.getpid())
    return OtherLoad(busy=busy, stolen=stolen, busiest=[program.name for program in programs[:NAMES]])


def watch_cores(cores: list[int]) -> OtherPrograms:
    """Watch these cores for a second, while nothing of hopcost runs."""
    before, busy_ns, began = processes(), cpu_time.busy_ns(cores), time.monotonic_ns()
    time.sleep(WATCHED_S)
    busy_ns, elapsed_ns = cpu_time.busy_ns(cores) - busy_ns, time.monotonic_ns() - began
    after = processes()
    busy_ns -= kernel_ns(before, after, cores)
    programs = other_programs(before, after, os.getpid())
    return OtherPrograms(max(0, busy_ns) / (elapsed_ns * len(cores)), elapsed_ns, programs)


def processes() -> list[ProcessTime]:
    """All processes that are visible here, threads of the kernel among them; about 2 ms for a hundred."""
    texts = (_stat(folder) for folder in os.scandir("/proc") if folder.name.isdigit())
    return [parse_stat(text) for text in texts if text]


def _stat(folder: os.DirEntry[str]) -> str | None:
    try:
        return (Path(folder.path) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended meanwhile
        return None


def parse_stat(text: str) -> ProcessTime:
    """A process from the text of its /proc/PID/stat.

    >>> fields = "1 7 7 0 -1 4194304 0 0 0 0 3 4 1 0 20 0 1 0 99 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0"
    >>> parse_stat(f"7 (a (b) c) S {fields}")._replace(cpu_ns=0, children_ns=0)
    ProcessTime(pid=7, parent=1, name='a (b) c', began_ticks=99, cpu_ns=0, children_ns=0, core=1, is_kernel=False)
    """
    head, _, tail = text.rpartition(")")
    pid, _, name = head.partition("(")
    fields = tail.split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return ProcessTime(
        pid=int(pid),
        parent=int(fields[1]),
        name=name,
        began_ticks=int(fields[19]),
        cpu_ns=(user + system) * TICK_NS,
        children_ns=(children_user + children_system) * TICK_NS,
        core=int(fields[36]),
        is_kernel=bool(int(fields[6]) & KERNEL_THREAD),
    )


def kernel_ns(before: Sequence[ProcessTime], after: Sequence[ProcessTime], cores: Sequence[int]) -> int:
    """CPU time that the kernel's threads used on these cores between two moments, ksoftirqd's left out.

    They are nobody's programs: with 5000 processes of Apache the kernel's memory monitor takes a tenth of a core. The
    busy time of cores has no ksoftirqd in it.
    """
    known_ns = {process.pid: process.cpu_ns for process in before}
    return sum(
        process.cpu_ns - known_ns.get(process.pid, 0)
        for process in after
        if process.is_kernel and process.core in cores and not process.name.startswith("ksoftirqd/")
    )


def other_programs(before: Sequence[ProcessTime], after: Sequence[ProcessTime], own: int) -> list[ProgramTime]:
    """Who used CPU time between two moments, most first: neither the process `own` nor its descendants.

    A child that has ended counts for the parent that waited for it, without what it had used before the first moment.
    """
    known = {(process.pid, process.began_ticks): process for process in before}
    there = {(process.pid, process.began_ticks) for process in after}
    ours = _family(before, own) | _family(after, own)
    ended = {process.pid: process for key, process in known.items() if key not in there}
    waited_ns: dict[int, int] = {}
    for process in ended.values():
        heir = process.parent
        while heir in ended:  # parent and child have ended both
            heir = ended[heir].parent
        waited_ns[heir] = waited_ns.get(heir, 0) + process.cpu_ns + process.children_ns
    programs = []
    for process in after:
        past = known.get((process.pid, process.began_ticks))
        used_ns = process.cpu_ns - (past.cpu_ns if past else 0)
        children_ns = process.children_ns - (past.children_ns if past else 0) - waited_ns.get(process.pid, 0)
        used_ns += max(0, children_ns)
        if used_ns > 0 and process.pid not in ours and not process.is_kernel:
            programs.append(ProgramTime(process.name, process.pid, used_ns))
    return sorted(programs, key=lambda program: (-program.cpu_ns, program.pid))


def without_families(
    programs: Sequence[ProgramTime],
    before: Sequence[ProcessTime],
    after: Sequence[ProcessTime],
    roots: Iterable[int],
    cores: Sequence[int],
) -> tuple[list[ProgramTime], int]:
    """The programs without these processes and their descendants, and the CPU time of those on these cores, in ns.

    A process counts for the core that it ran on last.
    """
    families: set[int] = set()
    for root in roots:
        families |= _family(before, root) | _family(after, root)
    core_of = {process.pid: process.core for process in after}
    used_ns = sum(
        program.cpu_ns for program in programs if program.pid in families and core_of.get(program.pid) in cores
    )
    return [program for program in programs if program.pid not in families], used_ns


def _family(processes: Sequence[ProcessTime], own: int) -> set[int]:
    """The process and all its descendants."""
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    family, left = set(), [own]
    while left:
        pid = left.pop()
        family.add(pid)
        left += [child for child in children.get(pid, []) if child not in family]
    return family
