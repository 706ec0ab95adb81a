"""What a stack's processes use besides the engine's counters: memory, ports in TIME_WAIT, CPU time of a cgroup."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from hopcost import namespace

TIME_WAIT = "06"  # the state in /proc/net/tcp


class Memory(msgspec.Struct, frozen=True):
    """A hop's memory, over the processes alive at the reading.

    `peak_bytes` adds up the largest resident sets (VmHWM) that the processes ever had: not at one moment, and pages
    that several share count in each. `proportional_bytes` (PSS) is at the reading, a shared page divided among those
    that have it. None where the kernel does not let it be read, or the hop has no process.
    """

    processes: int
    peak_bytes: int | None
    proportional_bytes: int | None


class TimeWait(msgspec.Struct, frozen=True):
    """Connections in TIME_WAIT on one TCP link, after the last slice: closed first by the hop, or by its client."""

    hop: str
    server: int
    client: int


def memory(pids: list[int]) -> Memory:
    """The memory of these processes."""
    return Memory(
        processes=len(pids),
        peak_bytes=_sum_kib(pids, "status", "VmHWM"),
        proportional_bytes=_sum_kib(pids, "smaps_rollup", "Pss"),
    )


def _sum_kib(pids: list[int], file: str, key: str) -> int | None:
    """Bytes of all processes together; None when one of them cannot be read: part of a sum is no sum."""
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


def time_wait(listening: Mapping[str, int], namespaces: Iterable[str | None]) -> list[TimeWait]:
    """Counts for the hops listening on these ports, out of the tables of these namespaces (None: this thread's own)."""
    tables = []
    for path in dict.fromkeys(namespaces):
        with namespace.inside(path):
            for name in ("tcp", "tcp6"):
                with contextlib.suppress(OSError):
                    tables.append(Path(f"/proc/thread-self/net/{name}").read_text())
    return count_time_wait(listening, tables)


def count_time_wait(listening: Mapping[str, int], tables: Iterable[str]) -> list[TimeWait]:
    """The same out of the texts of /proc/net/tcp.

    >>> table = "  sl  local_address rem_address   st\\n   0: 0100007F:1F90 0100007F:9C40 06 00000000:00000000"
    >>> count_time_wait({"app": 8080}, [table])
    [TimeWait(hop='app', server=1, client=0)]
    """
    local: dict[int, int] = {}
    remote: dict[int, int] = {}
    for table in tables:
        for line in table.splitlines()[1:]:
            fields = line.split(maxsplit=4)
            if fields[3] == TIME_WAIT:
                for counts, address in ((local, fields[1]), (remote, fields[2])):
                    port = int(address.rpartition(":")[2], 16)
                    counts[port] = counts.get(port, 0) + 1
    return [TimeWait(hop=hop, server=local.get(port, 0), client=remote.get(port, 0)) for hop, port in listening.items()]


def process_clock_ns(pid: int) -> int | None:
    """The process CPU clock of another process (clock_getcpuclockid): ns, all threads, ended ones included.

    None when it is gone.
    """
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def account_ns(cgroup: Path) -> int:
    """CPU time that a cgroup and those in it have used: cpu.stat of version 2, or cpuacct.usage of version 1."""
    with contextlib.suppress(FileNotFoundError):
        return int((cgroup / "cpu.stat").read_text().split()[1]) * 1000
    return int((cgroup / "cpuacct.usage").read_text())
