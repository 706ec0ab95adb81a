"""The host that a stack runs on: it makes sessions, says what freezes and counts them, and reads the machine.

It does not know programs, arms or load.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from hopcost.machine import conditions as machine_conditions
from hopcost.machine import cpu_time, other_load, stall
from hopcost.machine.conditions import Conditions
from hopcost.machine.other_load import OtherPrograms, ProcessTime
from hopcost.plan.method import METHOD
from hopcost.stacks.client.address import LOOPBACK
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.cgroups import Freezer
from hopcost.stacks.sandbox.leftovers import CGROUP_PREFIX
from hopcost.stacks.sandbox.network import HOST, Network
from hopcost.stacks.sandbox.ports import Ports, port_is_free
from hopcost.stacks.sandbox.session import Net, Session

LABEL_LONGEST = 120  # a file name has 255 bytes


class Host(Protocol):
    """All that a stack and a block ask of the machine. `ports` are for stacks without a network of their own.

    `address` is where their clients reach them: this machine's loopback, or its address for the generator's machine.
    """

    network: Network
    ports: Ports
    address: str

    def session(self, label: str, net: Net | None) -> Session:
        """A new session; `label` names it among the host's cgroups."""

    def freeze(self, session: Session, pids: list[int]) -> dict[str, object]:
        """What freezes the session with these processes, in the words of the engine's plan."""

    def account(self, session: Session) -> Path | None:
        """The cgroup that counts the session's CPU time; None without one."""

    def conditions(self, cores: list[int]) -> Conditions:
        """Steal, throttling, swap and the clocks of these cores."""

    def busy_ns(self, cores: list[int]) -> int:
        """CPU time that these cores have used since boot."""

    def processes(self) -> list[ProcessTime]:
        """The CPU time of every process that is visible."""

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        """What other programs take of these cores in the next second; nothing of hopcost's must run meanwhile."""

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        """How long the host kept one of these cores from a program that only spins."""


class Local:
    """This machine. `freezer` freezes the stacks; they run in a `network` of their own or the host's."""

    def __init__(self, freezer: Freezer, network: Network = HOST, address: str = LOOPBACK) -> None:
        self.freezer = freezer
        self.network = network
        self.address = address
        self.ports = Ports(is_free=lambda port: port_is_free(port, address))

    def session(self, label: str, net: Net | None) -> Session:
        """A child of this process keeps it."""
        return Session(self.cgroups(label), net)

    def cgroups(self, label: str) -> list[Path]:
        """The cgroups of the session with this label; none if signals freeze it."""
        return self.freezer.cgroups(f"{CGROUP_PREFIX}{leftovers.owner()}-{label[:LABEL_LONGEST]}")

    def freeze(self, session: Session, pids: list[int]) -> dict[str, object]:
        """The session's cgroup, or a signal to each process."""
        return {"signal": pids} if session.cgroup is None else {self.freezer.kind: str(session.cgroup)}

    def account(self, session: Session) -> Path | None:
        """A session's cgroups have the same name in each hierarchy."""
        return None if session.cgroup is None else self.freezer.account_of(session.cgroup.name)

    def conditions(self, cores: list[int]) -> Conditions:
        """Read from /proc and /sys."""
        return machine_conditions.now(cores)

    def busy_ns(self, cores: list[int]) -> int:
        """Read from /proc/stat."""
        return cpu_time.busy_ns(cores)

    def processes(self) -> list[ProcessTime]:
        """Read from /proc."""
        return other_load.processes()

    def watch_others(self, cores: list[int]) -> OtherPrograms:
        """Read from /proc."""
        return other_load.watch_cores(cores)

    def longest_stall_ns(self, cores: Sequence[int]) -> int:
        """Measured by spinning on each core."""
        return stall.longest_stall_ns(list(cores), METHOD.stall_look_ns)
