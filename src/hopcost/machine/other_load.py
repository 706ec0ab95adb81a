"""How busy this machine is while nothing of hopcost runs, and with what."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

import psutil

from hopcost.machine import cpu_time

WATCHED_S = 1.0
NAMES = 3


class OtherLoad(NamedTuple):
    """Shares of all cores that were busy and that were stolen, and the programs that used most CPU time."""

    busy: float
    stolen: float
    busiest: list[str]


def watch() -> OtherLoad:
    """Watch for a second."""
    for _ in psutil.process_iter(["cpu_percent"]):
        pass  # psutil gives a process's share since the last time it was asked: this begins the second
    steal, began = cpu_time.steal_ns(), time.monotonic_ns()
    busy = psutil.cpu_percent(interval=WATCHED_S) / 100
    elapsed_ns = (time.monotonic_ns() - began) * (psutil.cpu_count() or 1)
    stolen = (cpu_time.steal_ns() - steal) / elapsed_ns
    return OtherLoad(busy=busy, stolen=stolen, busiest=_busiest())


def _busiest() -> list[str]:
    processes = [process.info for process in psutil.process_iter(["pid", "name", "cpu_percent"])]
    others = [process for process in processes if process["pid"] != os.getpid()]
    others.sort(key=lambda process: -(process["cpu_percent"] or 0))
    return [process["name"] or "?" for process in others[:NAMES]]
