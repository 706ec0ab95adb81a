"""What a stack runs in: cores, cgroups that freeze it and count its CPU time, ports, open files.

Its network is network.py's.

It must not know programs or experiments.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from hopcost import host, leavings, namespace
from hopcost.errors import CannotMeasure
from hopcost.suite import Arm, Placement

FIRST_PORT, LAST_PORT = 10_000, 65_000
CLIENT_PORTS_OF_A_NAMESPACE = (32_768, 60_999)  # in a new one
FIRST_PORT_OF_A_NAMESPACE = 2_000  # lower: an arm may leave its clients 8192 and all above
OPEN_FILES_WITHOUT_LIMIT = 1 << 20  # the kernel's own default of fs.nr_open


class Cores(msgspec.Struct, frozen=True):
    """Core numbers of the stack and of the generator; they overlap only where the placement says so."""

    stack: list[int]
    generator: list[int]

    @property
    def shared(self) -> bool:
        """Whether the generator takes CPU time from the stack's cores."""
        return bool(set(self.stack) & set(self.generator))


def place(placement: Placement, allowed: list[int], siblings: dict[int, list[int]]) -> Cores:
    """Cores for the stack and for the generator out of those allowed.

    `siblings` gives for a core those that share its physical core: a generator there would slow the stack, so another
    one is taken. CannotMeasure when there are too few cores.
    """
    match placement:
        case Placement.ALL_CORES:
            return Cores(stack=allowed, generator=[allowed[-1]])
        case Placement.ONE_CORE:
            stack = allowed[0]
            others = [core for core in allowed if core not in {stack, *siblings.get(stack, [])}]
            if not others:
                raise CannotMeasure(
                    "one core for the stack and another for the generator: this machine has one core to give",
                    "choose an experiment on all cores",
                )
            return Cores(stack=[stack], generator=[others[-1]])


class Freezer(msgspec.Struct, frozen=True):
    """How a stack is frozen: a folder of a cgroup hierarchy to make cgroups in, or none (SIGSTOP).

    `account` is a folder of a hierarchy whose cgroups count CPU time: that of version 2, or version 1's cpuacct.
    """

    kind: str  # "cgroup2", "cgroup1", "signal"
    parent: str | None
    account: str | None = None

    def cgroup(self, name: str) -> Path | None:
        """Where the cgroup of this name that freezes a stack is to be made."""
        return Path(self.parent) / name if self.parent is not None else None

    def account_of(self, name: str) -> Path | None:
        """Where the cgroup of this name that counts a stack's CPU time is to be made."""
        return Path(self.account) / name if self.account is not None else None

    def cgroups(self, name: str) -> list[Path]:
        """Those to make for a stack: the one that freezes first; none where stacks are frozen by signals."""
        freezing, counting = self.cgroup(name), self.account_of(name)
        if freezing is None:
            return []
        return [freezing] if counting is None or counting == freezing else [freezing, counting]


def find_freezer(mounts: str | None = None, own: str | None = None) -> Freezer:
    """The best means to freeze that this user may use: cgroup v2, then v1's freezer, then signals.

    A version 2 tree comes first, because there even a frozen process can be killed. Arguments: the texts of
    /proc/mounts and /proc/self/cgroup, read when absent.
    """
    mounts = Path("/proc/mounts").read_text() if mounts is None else mounts
    own = Path("/proc/self/cgroup").read_text() if own is None else own
    for parent in _own_cgroups(mounts, own, ""):
        if _can_freeze(parent):
            return Freezer(kind="cgroup2", parent=str(parent), account=str(parent))
    for parent in _own_cgroups(mounts, own, "freezer"):
        if _can_freeze(parent):
            accounts = [each for each in _own_cgroups(mounts, own, "cpuacct") if _can_count(each)]
            return Freezer(kind="cgroup1", parent=str(parent), account=str(accounts[0]) if accounts else None)
    return Freezer(kind="signal", parent=None)


def _own_cgroups(mounts: str, own: str, controller: str) -> Iterator[Path]:
    """This process's cgroup in each mount of version 2 (no controller named), or of that controller's version 1."""
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2) if line.count(":") >= 2 else ("", "?", "")
        if controller in controllers.split(","):
            for mount in (each.split() for each in mounts.splitlines()):
                if len(mount) < 4:
                    continue
                options = mount[3].split(",")
                if (mount[2] == "cgroup" and controller and controller in options) or (
                    mount[2] == "cgroup2" and not controller
                ):
                    yield Path(mount[1]) / path.lstrip("/")


@contextlib.contextmanager
def _trial(parent: Path) -> Iterator[Path | None]:
    """A cgroup with a process in it, for a moment; None where that cannot be had."""
    trial = parent / f"{leavings.CGROUP_PREFIX}{leavings.owner()}-trial"
    process = None
    try:
        try:
            trial.mkdir()
            process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # ends with us
            with (trial / "cgroup.procs").open("r+") as members:  # never made anew: outside cgroups it is a plain file
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
    """Tried, not guessed: a cgroup can be made here, a process moved into it, frozen there, and thawed."""
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


class Ports:
    """Free ports of the loopback address outside ip_local_port_range, so that no client's port takes one."""

    def __init__(self) -> None:
        low, high = (int(word) for word in Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
        usable = [port for port in range(FIRST_PORT, LAST_PORT) if not low <= port <= high]
        if not usable:
            raise CannotMeasure(
                f"no ports between {FIRST_PORT} and {LAST_PORT} lie outside ip_local_port_range ({low} to {high})",
                "sysctl net.ipv4.ip_local_port_range='32768 60999'",
            )
        first = os.getpid() * 64 % len(usable)  # two runs at once begin in different places
        self._candidates: Iterator[int] = itertools.chain(usable[first:], usable[:first])

    def take(self) -> int:
        """The next free port."""
        for port in self._candidates:
            if host.port_is_free(port):
                return port
        raise CannotMeasure("no free port is left")

    @staticmethod
    def claim(port: int, where: str) -> int:
        """The port that the suite asks for; CannotMeasure when it is taken."""
        if not host.port_is_free(port):
            raise CannotMeasure(
                f"{where}: port {port} is taken",
                f"see who has it: ss -ltnp 'sport = :{port}'; or leave `port` out and hopcost takes a free one",
            )
        return port


class NamespacePorts(Ports):
    """Ports of a network namespace of its own, where all are free, outside the range that its clients take from."""

    def __init__(self, path: str | None) -> None:
        """Those of the namespace of this file; None is one as the kernel makes it, to try settings for."""
        low, high = CLIENT_PORTS_OF_A_NAMESPACE
        if path is not None:
            with namespace.inside(path):
                low, high = (int(word) for word in Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
        self._candidates = iter(
            [port for port in range(FIRST_PORT_OF_A_NAMESPACE, LAST_PORT) if not low <= port <= high]
        )

    def take(self) -> int:
        """The next port."""
        for port in self._candidates:
            return port
        raise CannotMeasure(
            f"no ports between {FIRST_PORT_OF_A_NAMESPACE} and {LAST_PORT} lie outside ip_local_port_range",
            'leave some to servers in the arm\'s sysctls: "net.ipv4.ip_local_port_range" = "8192 65535"',
        )

    @staticmethod
    def claim(port: int, where: str) -> int:  # noqa: ARG004 - as for the host's
        """The port that the suite asks for: nobody else is here."""
        return port


def refuse_the_same_port(arms: Iterable[tuple[str, Arm]]) -> None:
    """CannotMeasure when two arms want the same port of the host's loopback, where all of them are alive at once."""
    takers: dict[int, str] = {}
    for name, arm in arms:
        for port in {hop.port for hop in arm.hops if hop.port is not None}:
            if port in takers:
                raise CannotMeasure(
                    f"arms {takers[port]} and {name} both ask for port {port}, and they run at the same time",
                    "with network namespaces (root, or user namespaces) they may; here leave `port` out",
                )
            takers[port] = name


def open_files(wanted: int | None) -> int:
    """The limit of open files that a stack's programs get: what the arm asks for, the hard limit at most."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = OPEN_FILES_WITHOUT_LIMIT
    return hard if wanted is None else min(wanted, hard)


def raise_open_files() -> int:
    """Raise this process's soft limit of open files to the hard one; the limit that holds."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard if hard != resource.RLIM_INFINITY else sys.maxsize
