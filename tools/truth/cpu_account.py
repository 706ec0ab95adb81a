"""CPU time to the ns: the kernel's account of all tasks, that of a cgroup of our own, and the cores' idle time.

/proc/stat counts in ticks, and a virtual machine loses those that come while it does not run. A cgroup's account is
made of what the scheduler charges each task.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.machine.proc import VERSION_2, own_cgroups, read_text
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX, owner

USAGE_1, USAGE_2 = "cpuacct.usage", "cpu.stat"
CPUS = Path("/sys/devices/system/cpu")
EMPTY_TRIES, EMPTY_WAIT_S = 200, 0.01


class Idle(msgspec.Struct, frozen=True):
    """Seconds that all cores have idled, and whether the kernel measured them or counted ticks."""

    seconds: float
    measured: bool


def read_ns(folder: Path) -> int:
    """CPU ns of all tasks that are, or were, in this cgroup and below it."""
    if (folder / USAGE_1).exists():
        return int((folder / USAGE_1).read_text())
    usage_us = (folder / USAGE_2).read_text().split()[1]  # its first line: usage_usec N
    return int(usage_us) * 1000


def is_whole_machine(folder: Path) -> bool:
    """Whether this cgroup's account holds every task of the machine, to the ns.

    Only the root of version 1 has a release agent. The root of version 2 adds up ticks, as /proc/stat does.
    """
    return (folder / USAGE_1).exists() and (folder / "release_agent").exists()


def find_root(mounts: str, own: str) -> Path | None:
    """The cgroup whose account is the whole machine's, by /proc/mounts and /proc/self/cgroup; None if none is."""
    return next((root for root, _ in own_cgroups(mounts, own, "cpuacct") if is_whole_machine(root)), None)


def machine_ns() -> int | None:
    """CPU ns of every task of the machine; None if the kernel has no such account."""
    root = find_root(*_texts())
    return None if root is None else read_ns(root)


@contextlib.contextmanager
def own_account() -> Iterator[Path]:
    """A cgroup that counts this process and all that it starts meanwhile. CannotMeasure if there can be none."""
    folder = _make_own()
    try:
        yield folder
    finally:
        _move_into(folder.parent)
        _remove(folder)


def _make_own() -> Path:
    for controller in ("cpuacct", VERSION_2):
        for _, parent in own_cgroups(*_texts(), controller):
            folder = parent / f"{CGROUP_PREFIX}{owner()}-truth"
            with contextlib.suppress(OSError):
                folder.mkdir()
                with _removed_on_failure(folder):
                    _move_into(folder)
                return folder
    raise CannotMeasure("no cgroup can be made here that counts CPU time", "run as root, or delegate a cgroup")


@contextlib.contextmanager
def _removed_on_failure(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError:
        folder.rmdir()
        raise


def idle(cpus: Path = CPUS, stat: str | None = None) -> Idle:
    """Of all cores: as cpuidle measured it, else in ticks (idle and iowait)."""
    states = [list((core / "cpuidle").glob("state*/time")) for core in cpus.glob("cpu[0-9]*")]
    if states and all(states):
        return Idle(sum(int(path.read_text()) for times in states for path in times) / 1e6, measured=True)
    line = (Path("/proc/stat").read_text() if stat is None else stat).splitlines()[0]
    return Idle(sum(map(int, line.split()[4:6])) / os.sysconf("SC_CLK_TCK"), measured=False)


def _texts() -> tuple[str, str]:
    return read_text("/proc/mounts") or "", read_text("/proc/self/cgroup") or ""


def _move_into(folder: Path) -> None:
    with (folder / "cgroup.procs").open("r+") as members:  # "r+" makes no file outside cgroups
        members.write(str(os.getpid()))


def _remove(folder: Path) -> None:
    """A process leaves its cgroup a moment after its end."""
    for _ in range(EMPTY_TRIES):
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(EMPTY_WAIT_S)
        else:
            return
