"""What this machine is: the facts that a record keeps. Read only; no judgement (that is doctor.py's)."""

from __future__ import annotations

import gzip
import os
import platform
import resource
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import psutil

SYSCTLS = (
    "kernel/io_uring_disabled",
    "kernel/sched_autogroup_enabled",
    "net/core/netdev_max_backlog",
    "net/core/rmem_max",
    "net/core/somaxconn",
    "net/core/wmem_max",
    "net/ipv4/ip_local_port_range",
    "net/ipv4/tcp_congestion_control",
    "net/ipv4/tcp_fin_timeout",
    "net/ipv4/tcp_max_syn_backlog",
    "net/ipv4/tcp_max_tw_buckets",
    "net/ipv4/tcp_rmem",
    "net/ipv4/tcp_tw_reuse",
    "net/ipv4/tcp_wmem",
)

Facts = dict[str, object]


def allowed_cores() -> list[int]:
    """The cores this process may use, ascending."""
    return sorted(os.sched_getaffinity(0))


def siblings() -> dict[int, list[int]]:
    """For each allowed core the others that share its physical core; empty where the kernel does not say."""
    return {
        core: [
            other
            for other in _ranges(_read(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"))
            if other != core
        ]
        for core in allowed_cores()
    }


def facts() -> Facts:
    """The environment for the record; what cannot be read is None."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return {
        "kernel": platform.release(),
        "system": _os_name(),
        "architecture": platform.machine(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "allowed_cores": allowed_cores(),
        "siblings": {str(core): others for core, others in siblings().items()},
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "hypervisor": hypervisor(),
        "memory_bytes": psutil.virtual_memory().total,
        "swap_used_bytes": psutil.swap_memory().used,
        "open_files": {"soft": soft, "hard": hard},
        "load_average_1min": os.getloadavg()[0],
        "root": os.geteuid() == 0,
        "irq_time_apart": irq_time_apart(),
        "clocksource": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "cgroup": _read("/proc/self/cgroup"),
        "sysctls": {name.replace("/", "."): _read(f"/proc/sys/{name}") for name in SYSCTLS},
    }


def cpu_model() -> str | None:
    """The processor's name as the kernel gives it."""
    return _line_of("/proc/cpuinfo", "model name")


def hypervisor() -> bool:
    """Whether the processor says that it runs under one."""
    return "hypervisor" in (_line_of("/proc/cpuinfo", "flags") or "").split()


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
    """ksoftirqd of every core, from /proc; none where a container hides the kernel's threads."""
    names = ((process.pid, process.info["name"]) for process in psutil.process_iter(["name"]))
    return soft_interrupt_threads(names)


def soft_interrupt_threads(names: Iterable[tuple[int, str]]) -> list[KernelThread]:
    """The same out of pids and names.

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
    """The same, None where the kernel's configuration cannot be read."""
    texts = (_read(f"/boot/config-{platform.release()}"), _gunzip("/proc/config.gz"))
    config = next((text for text in texts if text is not None), None)
    return None if config is None else "CONFIG_IRQ_TIME_ACCOUNTING=y" in config.splitlines()


def _gunzip(path: str) -> str | None:
    try:
        return gzip.decompress(Path(path).read_bytes()).decode(errors="replace")
    except OSError:
        return None


def _os_name() -> str | None:
    line = _read("/etc/os-release") or ""
    names = [part.partition("=")[2].strip('"') for part in line.splitlines() if part.startswith("PRETTY_NAME=")]
    return names[0] if names else None


def _line_of(path: str, key: str) -> str | None:
    for line in (_read(path) or "").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return None


def _ranges(text: str | None) -> list[int]:
    """`0-1,4` → [0, 1, 4]."""
    found: list[int] = []
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if first:
            found.extend(range(int(first), int(last or first) + 1))
    return found


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
