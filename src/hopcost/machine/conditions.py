"""What happened to the machine while a block ran: stolen CPU time, throttling, swapping, a step of the wall clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from hopcost.machine import cpu_time
from hopcost.machine.proc import VERSION_2, own_cgroups, read_text

CLOCK_READINGS = 5  # the shortest one counts: it was interrupted least


class Conditions(NamedTuple):
    """Counters at one moment; None if this kernel does not have them."""

    monotonic_ns: int
    steal_ns: int
    throttled_ns: int | None
    swapped_pages: int | None
    wall_ahead_ns: int


class Change(NamedTuple):
    """What happened between two moments; None if this kernel does not tell."""

    elapsed_ns: int
    steal_ns: int
    throttled_ns: int | None
    swapped_pages: int | None
    clock_step_ns: int


def now(cores: list[int]) -> Conditions:
    """The counters as they are now; steal on these cores."""
    return Conditions(
        monotonic_ns=time.monotonic_ns(),
        steal_ns=cpu_time.steal_ns(cores),
        throttled_ns=throttled_ns(),
        swapped_pages=swapped_pages(),
        wall_ahead_ns=wall_ahead_ns(),
    )


def change(before: Conditions, after: Conditions) -> Change:
    """What the counters gained from one moment to the other."""
    return Change(
        elapsed_ns=after.monotonic_ns - before.monotonic_ns,
        steal_ns=after.steal_ns - before.steal_ns,
        throttled_ns=_added(before.throttled_ns, after.throttled_ns),
        swapped_pages=_added(before.swapped_pages, after.swapped_pages),
        clock_step_ns=after.wall_ahead_ns - before.wall_ahead_ns,
    )


def _added(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def wall_ahead_ns() -> int:
    """CLOCK_REALTIME less CLOCK_MONOTONIC: both are slewed alike, so only a step of the wall clock changes it."""
    best = (1 << 62, 0)
    for _ in range(CLOCK_READINGS):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        best = min(best, (after - before, wall - (before + after) // 2))
    return best[1]


def swapped_pages(text: str | None = None) -> int | None:
    """Pages swapped in and out since boot, from /proc/vmstat.

    >>> swapped_pages("pgpgin 9\\npswpin 3\\npswpout 4\\n")
    7
    """
    values = _values(read_text("/proc/vmstat") if text is None else text)
    return values["pswpin"] + values["pswpout"] if {"pswpin", "pswpout"} <= values.keys() else None


def throttled_ns() -> int | None:
    """How long CPU quotas of this process's cgroup and of those above have stopped it; None if there are none."""
    times_ns = [ns for text in _own_accounts() if (ns := throttled_of(text)) is not None]
    return sum(times_ns) if times_ns else None


def throttled_of(text: str) -> int | None:
    """The same from the text of one cpu.stat; None if the cgroup has no CPU controller.

    >>> [throttled_of(text) for text in ("usage_usec 9\\nthrottled_usec 5\\n", "throttled_time 7\\n", "usage_usec 9")]
    [5000, 7, None]
    """
    values = _values(text)
    if "throttled_usec" in values:  # cgroup version 2
        return values["throttled_usec"] * 1000
    return values.get("throttled_time")


def _own_accounts() -> Iterator[str]:
    """The cpu.stat of this process's cgroups that may have a CPU quota, and of all above them."""
    mounts, own = read_text("/proc/mounts") or "", read_text("/proc/self/cgroup") or ""
    for controller in (VERSION_2, "cpu"):
        for root, inner in own_cgroups(mounts, own, controller):
            above = [folder for folder in inner.parents if folder.is_relative_to(root)]
            for folder in [inner, *above]:
                text = read_text(folder / "cpu.stat")
                if text is not None:
                    yield text


def _values(text: str | None) -> dict[str, int]:
    lines = [line.split() for line in (text or "").splitlines()]
    return {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
