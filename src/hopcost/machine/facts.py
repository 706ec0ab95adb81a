"""What this machine is: the facts that a record keeps. Read only; doctor.py judges them."""

from __future__ import annotations

import hashlib
import os
import platform
import resource

import msgspec
import psutil

from hopcost.machine.cpu_time import irq_time_apart
from hopcost.machine.proc import line_of, read_text

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
MACHINE_SIGNS = 16


class OpenFiles(msgspec.Struct):
    """The limits of open files of this process; -1: none."""

    soft: int
    hard: int


class Facts(msgspec.Struct):
    """This machine for the record; None if it cannot be read.

    `machine` tells machines apart that are called alike; it is a digest, since the number behind it is to stay here.
    """

    host: str
    machine: str | None
    kernel: str
    system: str | None
    architecture: str
    cpu: str | None
    cores: int | None
    allowed_cores: list[int]
    siblings: dict[str, list[int]]
    governor: str | None
    hypervisor: bool
    idle_driver: str | None
    memory_bytes: int
    swap_used_bytes: int
    open_files: OpenFiles
    load_average_1min: float
    root: bool
    irq_time_apart: bool
    clocksource: str | None
    cgroup: str | None
    sysctls: dict[str, str | None]


def allowed_cores() -> list[int]:
    """The cores this process may use, ascending."""
    return sorted(os.sched_getaffinity(0))


def siblings() -> dict[int, list[int]]:
    """For each allowed core the others that share its physical core; empty if the kernel does not say."""
    return {
        core: [
            other
            for other in core_ranges(read_text(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list"))
            if other != core
        ]
        for core in allowed_cores()
    }


def facts() -> Facts:
    """The facts as they are now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return Facts(
        host=platform.node(),
        machine=_machine(),
        kernel=platform.release(),
        system=_os_name(),
        architecture=platform.machine(),
        cpu=cpu_model(),
        cores=os.cpu_count(),
        allowed_cores=allowed_cores(),
        siblings={str(core): others for core, others in siblings().items()},
        governor=read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        hypervisor=hypervisor(),
        idle_driver=idle_driver(),
        memory_bytes=psutil.virtual_memory().total,
        swap_used_bytes=psutil.swap_memory().used,
        open_files=OpenFiles(soft=soft, hard=hard),
        load_average_1min=os.getloadavg()[0],
        root=os.geteuid() == 0,
        irq_time_apart=irq_time_apart(),
        clocksource=read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        cgroup=read_text("/proc/self/cgroup"),
        sysctls={name.replace("/", "."): read_text(f"/proc/sys/{name}") for name in SYSCTLS},
    )


def cpu_model() -> str | None:
    """The processor's name, from the kernel."""
    return line_of("/proc/cpuinfo", "model name")


def hypervisor() -> bool:
    """Whether the processor says that it runs under one."""
    return "hypervisor" in (line_of("/proc/cpuinfo", "flags") or "").split()


def idle_driver() -> str | None:
    """The kernel's driver for idle cores; None without one: then they halt at once, whatever is asked of them."""
    name = read_text("/sys/devices/system/cpu/cpuidle/current_driver")
    return None if name == "none" else name


def _machine() -> str | None:
    """A digest of the number that the system was given when it was installed; None in most containers."""
    number = read_text("/etc/machine-id")
    return hashlib.sha256(f"hopcost {number}".encode()).hexdigest()[:MACHINE_SIGNS] if number else None


def _os_name() -> str | None:
    line = read_text("/etc/os-release") or ""
    names = [part.partition("=")[2].strip('"') for part in line.splitlines() if part.startswith("PRETTY_NAME=")]
    return names[0] if names else None


def core_ranges(text: str | None) -> list[int]:
    """`0-1,4` → [0, 1, 4]."""
    numbers: list[int] = []
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if first:
            numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
