"""CPU time of cores: used, stolen by a hypervisor, spent in soft interrupts. Read only."""

from __future__ import annotations

import gzip
import os
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psutil

from hopcost.machine.proc import read_text


def steal_ns(cores: list[int] | None = None) -> int:
    """CPU time that the hypervisor kept from these cores since boot, together, in ns; None: from all of the machine."""
    names = ["cpu"] if cores is None else [f"cpu{core}" for core in cores]
    lines = (line.split() for line in Path("/proc/stat").read_text().splitlines())
    ticks = sum(int(fields[8]) for fields in lines if fields and fields[0] in names)
    return ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def busy_ns(cores: list[int]) -> int:
    """CPU time used by programs on these cores since boot, in ns (to the tick, 10 ms as a rule).

    /proc/stat's user, nice and system, and irq and softirq where the kernel books interrupts on the process that they
    interrupt. Where it keeps them apart, no process's time holds them. Idle, iowait and steal are no use of the CPU.
    What ksoftirqd takes over from programs is left out (2 to 4 % of a core at 60,000 new connections/s): no program's.
    """
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu" and int(name.removeprefix("cpu")) in cores:
            user, nice, system, _, _, irq, softirq = map(int, fields[:7])
            ticks += user + nice + system + (0 if irq_time_apart() else irq + softirq)
    for thread in _soft_interrupt_threads():
        if thread.core in cores:
            ticks -= int(Path(f"/proc/{thread.pid}/stat").read_text().rpartition(")")[2].split()[12])
    return ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class KernelThread(NamedTuple):
    """A thread of the kernel that is bound to a core."""

    pid: int
    core: int


@cache
def _soft_interrupt_threads() -> list[KernelThread]:
    """ksoftirqd of every core, from /proc; none if a container hides the kernel's threads."""
    names = ((process.pid, process.info["name"]) for process in psutil.process_iter(["name"]))
    return soft_interrupt_threads(names)


def soft_interrupt_threads(names: Iterable[tuple[int, str]]) -> list[KernelThread]:
    """The same from pids and names.

    >>> soft_interrupt_threads([(1, "init"), (14, "ksoftirqd/0"), (22, "ksoftirqd/1"), (90, "kworker/0:1")])
    [KernelThread(pid=14, core=0), KernelThread(pid=22, core=1)]
    """
    return [
        KernelThread(pid, int(name.removeprefix("ksoftirqd/"))) for pid, name in names if name.startswith("ksoftirqd/")
    ]


def irq_time_apart() -> bool:
    """Whether the kernel keeps interrupts' time apart from processes' (CONFIG_IRQ_TIME_ACCOUNTING); True if unknown."""
    return irq_time_accounting() is not False


@cache
def irq_time_accounting() -> bool | None:
    """The same; None if the kernel's configuration cannot be read."""
    texts = (read_text(f"/boot/config-{platform.release()}"), _gunzip("/proc/config.gz"))
    config = next((text for text in texts if text is not None), None)
    return None if config is None else "CONFIG_IRQ_TIME_ACCOUNTING=y" in config.splitlines()


def _gunzip(path: str) -> str | None:
    try:
        return gzip.decompress(Path(path).read_bytes()).decode(errors="replace")
    except OSError:
        return None
