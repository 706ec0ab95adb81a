"""Idle cores of a virtual machine, kept awake while something is measured.

An idle core of a guest halts, and only the hypervisor can bring it back for the next request. A busy host takes its
time over that, and the guest books it as stolen (docs/explain/method-why.md, Idle cores stay awake).
"""

from __future__ import annotations

import os
import struct
from enum import StrEnum
from functools import cache
from pathlib import Path

from hopcost.machine import facts

WAKE_UP_LIMIT = Path("/dev/cpu_dma_latency")  # takes µs; the kernel's Documentation/power/pm_qos_interface.rst


class IdleCores(StrEnum):
    """What idle cores do during a run."""

    AWAKE = "awake"
    AS_SET = "as set"  # by the kernel


@cache
def keep_awake() -> IdleCores:
    """In a virtual machine, if it permits: idle cores look for work and do not halt, until this process ends."""
    wanted = facts.hypervisor() and facts.idle_driver() is not None
    return IdleCores.AWAKE if wanted and hold(WAKE_UP_LIMIT) else IdleCores.AS_SET


def hold(limit: Path) -> bool:
    """Ask that no core takes time to wake up, for as long as this process lives; whether that is permitted.

    The kernel forgets it with the open file, however the process ends. Children do not inherit the file.
    """
    try:
        file = os.open(limit, os.O_WRONLY)
        os.write(file, struct.pack("=i", 0))
    except OSError:
        return False
    return True


def may_hold(limit: Path = WAKE_UP_LIMIT) -> bool:
    """Whether `hold` is permitted."""
    return os.access(limit, os.W_OK)
