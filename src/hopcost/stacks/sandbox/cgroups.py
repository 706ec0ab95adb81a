"""The cgroup freezer: find one that works here, by trial. Versions 2 and 1; without either, SIGSTOP freezes."""

from __future__ import annotations

import contextlib
import errno
import subprocess
import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

from hopcost.machine.proc import VERSION_2, own_cgroups
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX


class FreezerKind(StrEnum):
    """What freezes; the engine's plan has the same words."""

    CGROUP_2 = "cgroup2"
    CGROUP_1 = "cgroup1"
    SIGNAL = "signal"


class Freezer(msgspec.Struct, frozen=True):
    """How a stack is frozen: a folder of a cgroup hierarchy to make cgroups in, or none (SIGSTOP).

    `account` is a folder of a hierarchy whose cgroups count CPU time: that of version 2, or version 1's cpuacct.
    """

    kind: FreezerKind
    parent: str | None
    account: str | None = None

    def cgroup(self, name: str) -> Path | None:
        """The path of the cgroup with this name that freezes a stack."""
        return Path(self.parent) / name if self.parent is not None else None

    def account_of(self, name: str) -> Path | None:
        """The path of the cgroup with this name that counts a stack's CPU time."""
        return Path(self.account) / name if self.account is not None else None

    def cgroups(self, name: str) -> list[Path]:
        """The cgroups to make for a stack, the freezing one first; none if signals freeze it."""
        freezing, counting = self.cgroup(name), self.account_of(name)
        if freezing is None:
            return []
        return [freezing] if counting is None or counting == freezing else [freezing, counting]


def find_freezer(
    mounts: str | None = None,
    own: str | None = None,
    *,
    can_freeze: Callable[[Path], bool] | None = None,
    can_count: Callable[[Path], bool] | None = None,
) -> Freezer:
    """The best means to freeze that this user may use: cgroup v2, then v1's freezer, then signals.

    Version 2 comes first, because there even a frozen process can be killed. `mounts` and `own` are the texts of
    /proc/mounts and /proc/self/cgroup, read if absent. `can_freeze` and `can_count` try a folder of a hierarchy.
    """
    mounts = Path("/proc/mounts").read_text() if mounts is None else mounts
    own = Path("/proc/self/cgroup").read_text() if own is None else own
    can_freeze, can_count = can_freeze or _can_freeze, can_count or _can_count
    for _, parent in own_cgroups(mounts, own, VERSION_2):
        if can_freeze(parent):
            return Freezer(kind=FreezerKind.CGROUP_2, parent=str(parent), account=str(parent))
    for _, parent in own_cgroups(mounts, own, "freezer"):
        if can_freeze(parent):
            accounts = [str(account) for _, account in own_cgroups(mounts, own, "cpuacct") if can_count(account)]
            return Freezer(kind=FreezerKind.CGROUP_1, parent=str(parent), account=accounts[0] if accounts else None)
    return Freezer(kind=FreezerKind.SIGNAL, parent=None)


@contextlib.contextmanager
def _trial(parent: Path) -> Iterator[Path | None]:
    """A cgroup with a process in it, for a moment; None if that fails."""
    trial = parent / f"{CGROUP_PREFIX}{leftovers.owner()}-trial"
    process = None
    try:
        try:
            trial.mkdir()
            process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # ends with us
            with (trial / "cgroup.procs").open("r+") as members:  # "r+" makes no file outside cgroups
                members.write(str(process.pid))
        except OSError:
            yield None
        else:
            yield trial
    finally:
        if process is not None:
            process.kill()
            process.communicate()
        for _ in range(100):  # a process leaves its cgroup a moment after its end
            try:
                trial.rmdir()
            except OSError as error:
                if error.errno == errno.EBUSY:
                    time.sleep(0.005)
                    continue
            break


def _can_freeze(parent: Path) -> bool:
    """Whether a process can be moved into a new cgroup here, frozen and thawed: tried, not guessed."""
    with _trial(parent) as trial:
        if trial is None:
            return False
        state = trial / "freezer.state"
        control, frozen, thawed = (
            (state, b"FROZEN", b"THAWED") if state.exists() else (trial / "cgroup.freeze", b"1", b"0")
        )
        try:
            with control.open("rb+", buffering=0) as file:
                file.write(frozen)
                is_frozen = _comes_true(lambda: _is_frozen(trial))
                file.write(thawed)
            return is_frozen
        except OSError:
            return False


def _is_frozen(cgroup: Path) -> bool:
    if (cgroup / "freezer.state").exists():
        return (cgroup / "freezer.state").read_text().strip() == "FROZEN"
    return "frozen 1" in (cgroup / "cgroup.events").read_text().splitlines()


def _can_count(parent: Path) -> bool:
    with _trial(parent) as trial:
        return trial is not None and (trial / "cpuacct.usage").exists()


def _comes_true(holds: Callable[[], bool], within_s: float = 1.0) -> bool:
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True
