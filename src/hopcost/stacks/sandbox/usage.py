"""What a stack's processes use, read while they run: memory, and CPU time of a process or a cgroup."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from hopcost.record.contents.evidence import Memory


def memory(pids: list[int]) -> Memory:
    """The memory of these processes."""
    return Memory(
        processes=len(pids),
        peak_bytes=_sum_kib(pids, "status", "VmHWM"),
        proportional_bytes=_sum_kib(pids, "smaps_rollup", "Pss"),
    )


def _sum_kib(pids: list[int], file: str, key: str) -> int | None:
    """Bytes of all processes together; None if one of them cannot be read."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
        except OSError:
            return None
        values = [line.split()[1] for line in lines if line.startswith(f"{key}:")]
        if not values:
            return None
        total += int(values[0]) * 1024
    return total if pids else None


def process_clock_ns(pid: int) -> int | None:
    """The process CPU clock of another process (clock_getcpuclockid): ns, all threads, ended ones included.

    None if it is gone.
    """
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def account_ns(cgroup: Path) -> int:
    """CPU time that a cgroup and those in it have used: cpuacct.usage of version 1, or cpu.stat of version 2.

    Where version 1 has cpu and cpuacct in one hierarchy there is a cpu.stat too, about throttling. ValueError for that
    one alone.
    """
    with contextlib.suppress(FileNotFoundError):
        return int((cgroup / "cpuacct.usage").read_text())
    name, used_us, *_ = (cgroup / "cpu.stat").read_text().split()
    if name != "usage_usec":
        raise ValueError(f"{cgroup}: its cpu.stat counts no CPU time")
    return int(used_us) * 1000
