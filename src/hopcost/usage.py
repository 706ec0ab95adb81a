"""What a stack's processes use besides the engine's counters: memory, ports in TIME_WAIT, CPU time of a cgroup."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from hopcost import namespace, sock_diag

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
    """Counts for the hops listening on these ports, over these namespaces (None: this thread's own)."""
    found: list[tuple[int, int]] = []
    for path in dict.fromkeys(namespaces):
        with namespace.inside(path):
            found += _time_wait_ports()
    return count_time_wait(listening, found)


def _time_wait_ports() -> list[tuple[int, int]]:
    try:
        return sock_diag.time_wait_ports()
    except OSError:  # a kernel without it
        tables = [Path(f"/proc/thread-self/net/{name}") for name in ("tcp", "tcp6")]
        return [ports for table in tables if table.exists() for ports in ports_of(table.read_text())]


def ports_of(table: str) -> Iterator[tuple[int, int]]:
    """Local and remote port of each connection in TIME_WAIT in the text of /proc/net/tcp.

    >>> list(ports_of("  sl  local_address rem_address   st\\n   0: 0100007F:1F90 0100007F:9C40 06 00000000:00000000"))
    [(8080, 40000)]
    """
    for line in table.splitlines()[1:]:
        _, local, remote, state, *_ = line.split(maxsplit=4)
        if state == TIME_WAIT:
            yield int(local.rpartition(":")[2], 16), int(remote.rpartition(":")[2], 16)


def count_time_wait(listening: Mapping[str, int], ports: Iterable[tuple[int, int]]) -> list[TimeWait]:
    """The same out of local and remote ports.

    >>> count_time_wait({"app": 8080}, [(8080, 40000)])
    [TimeWait(hop='app', server=1, client=0)]
    """
    pairs = list(ports)
    local, remote = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    return [TimeWait(hop=hop, server=local[port], client=remote[port]) for hop, port in listening.items()]


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
