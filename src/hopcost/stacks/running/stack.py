"""A stack that runs: its hops are started, watched, frozen and stopped. ../prepare decides what it consists of."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import TracebackType

from hopcost.errors import ArmFailed, CannotMeasure, HopcostError
from hopcost.plan.cores import Cores
from hopcost.plan.method import METHOD
from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.stacks.app.services import SharedService
from hopcost.stacks.app.supply import Supply
from hopcost.stacks.host import Host
from hopcost.stacks.jail.outcome import Outcome, outcome_of
from hopcost.stacks.jail.tried.start import jail_net
from hopcost.stacks.prepare.prepared import PreparedStack
from hopcost.stacks.prepare.stack import prepare
from hopcost.stacks.running.programs import Programs, RestartTimes
from hopcost.stacks.sandbox import namespaces, session, sockets, usage
from hopcost.stacks.sandbox.namespaces import STACK
from hopcost.stacks.sandbox.ports import NamespacePorts, client_ports
from hopcost.stacks.sandbox.session import Net, NotStarted
from hopcost.stacks.surroundings import SurroundingsRequest, read_surroundings, why_refused
from hopcost.suites.arms.arm import Arm, Settings


class RunningStack:
    """A stack that runs: started from the origin to the front, so that each hop finds the next one ready.

    A context manager. Leaving it stops every program and removes every file, at once after an error or an interrupt.
    `label` names the stack in the host's cgroups. A hop must be ready `ready_s` after its start, later if it has many
    children. If the host's network allows namespaces, the stack has one of its own and takes its ports there. If not,
    it takes the host's ports.

    ArmFailed if the arm's programs or wishes are to blame, MeasurementFailed if the keeper fails.
    """

    def __init__(
        self,
        name: str,
        arm: Arm,
        settings: Settings,
        cores: Cores,
        host: Host,
        label: str,
        ready_s: float = METHOD.ready_s,
    ) -> None:
        self.arm = name
        self._host = host
        self._wishes = SurroundingsRequest(
            sysctls=arm.sysctls, open_files=arm.open_files, link_mbit_per_s=arm.link_mbit_per_s
        )
        refusal = why_refused(self._wishes, host.network)
        if refusal is not None:
            raise ArmFailed(name, *refusal)
        self.supply = Supply(name, arm, host.network)
        configuration = arm.hops[0].configuration
        with _arm_to_blame(name, CannotMeasure):
            self._outcome: Outcome | None = None if configuration is None else outcome_of(configuration)
        with contextlib.ExitStack() as undo, _arm_to_blame(name, NotStarted):
            self.session = host.session(label, self._net())
            undo.callback(self.session.kill)
            undo.callback(self.supply.close)
            own = self.session.namespace
            ports = host.ports if own is None else NamespacePorts(client_ports(own))
            front = host.address if arm.link_mbit_per_s is None else STACK
            with _arm_to_blame(name, CannotMeasure):
                prepared = prepare(name, arm, settings, cores, self.session.directory, ports, front)
            jail = prepared.hops[0].jail  # its notes: what differs from the user's files, what stands for upstreams
            notes = [*self.supply.notes, *(jail.notes if jail is not None else [])]
            self.surroundings = read_surroundings(name, self._wishes, self.session, prepared.open_files, notes)
            self._programs = Programs(prepared, arm, settings, self.session, self.supply, ready_s)
            self._programs.start()
            undo.pop_all()

    def _net(self) -> Net | None:
        """The namespace to make, or None. Of the sysctls only net.* belong to a namespace."""
        if not self._host.network.own:
            return None
        jail = Net() if self._outcome is None else jail_net(self._outcome.addresses)
        return Net(
            sysctls=jail.sysctls
            | {key: value for key, value in self._wishes.sysctls.items() if key.startswith("net.")},
            link=self._wishes.link_mbit_per_s is not None,
            link_mbit_per_s=self._wishes.link_mbit_per_s,
            addresses=[*self.supply.addresses, *jail.addresses],
        )

    def __enter__(self) -> RunningStack:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.session.stop()
        else:
            self.session.kill()
        self.supply.close()

    @property
    def prepared(self) -> PreparedStack:
        """What it consists of, with the addresses that its apps have taken."""
        return self._programs.prepared

    @property
    def ready_after_s(self) -> dict[str, float]:
        """By hop, the time from its start until it was ready."""
        return self._programs.ready_after_s

    @property
    def processes(self) -> dict[str, list[int]]:
        """The present processes of each hop, by hop name; forwarders are hops too, the last ones."""
        return {name: self.session.processes(name, root) for name, root in self._programs.roots.items()}

    @property
    def services(self) -> list[SharedService]:
        """What the stack's apps use outside it, on this machine: shared with other stacks, never frozen."""
        return self.supply.services(self._programs.roots)

    @property
    def network_namespace(self) -> str | None:
        """The file of the namespace in which a client opens its sockets; None for this process's own."""
        return self.session.client_namespace

    def as_client(self) -> contextlib.AbstractContextManager[None]:
        """Moves the calling thread into the namespace of a client."""
        return namespaces.inside(self.network_namespace)

    @property
    def freeze(self) -> dict[str, object]:
        """What freezes this stack, in the words of the engine's plan."""
        return self._host.freeze(self.session, [pid for pids in self.processes.values() for pid in pids])

    def account_of(self, hop: str) -> str | None:
        """The cgroup that counts the CPU time of a hop that forks; None for other hops, and without such a cgroup."""
        account = self._host.account(self.session)
        forks = any(prepared.name == hop and prepared.forks for prepared in self.prepared.hops)
        return str(account / hop) if forks and account is not None else None

    def memory(self) -> dict[str, Memory]:
        """The memory of each hop, over its present processes."""
        return {name: usage.memory(pids) for name, pids in self.processes.items()}

    def time_wait(self) -> list[TimeWait]:
        """The present connections in TIME_WAIT, by link and by the side that closed them."""
        listening = {hop.name: hop.address.port for hop in self.prepared.hops if hop.address.port is not None}
        return sockets.count_time_wait_of(listening, [self.session.namespace, self.network_namespace])

    def cpu_ns(self) -> int:
        """CPU time that all processes of the stack have used, in ns; exact to a tick (10 ms) if no cgroup counts it."""
        account = self._host.account(self.session)
        if account is not None:
            return usage.account_ns(account)
        return sum(session.cpu_ns(pid) for pids in self.processes.values() for pid in pids)

    def cpu_by_account(self) -> dict[str, int]:
        """The same; no other stack has processes of this one."""
        return {str(self.session.directory): self.cpu_ns()}

    def restart(self, hop: str) -> RestartTimes:
        """Stop a program by SIGTERM and start it anew; ArmFailed if it does not start."""
        return self._programs.restart(hop)

    def failure(self) -> str | None:
        """Which program has ended, with its last lines; None while all of them run."""
        return self._programs.failure()

    def last_lines(self, hop: str) -> str:
        """The end of what a hop has printed; empty if that is nothing."""
        return session.last_lines(self.session.log(hop))


@contextlib.contextmanager
def _arm_to_blame(arm: str, kind: type[HopcostError]) -> Iterator[None]:
    """Turn errors of this kind into ArmFailed."""
    try:
        yield
    except kind as error:
        raise ArmFailed(arm, error.message, error.hint) from error
