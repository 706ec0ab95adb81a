"""A stack that runs: its hops are started, watched, frozen and stopped. prepare.py decides what it consists of."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Protocol

from hopcost.errors import ArmFailed, CannotMeasure, HopcostError
from hopcost.plan.cores import Cores
from hopcost.plan.method import METHOD
from hopcost.record.contents.evidence import Memory, Surroundings, TimeWait
from hopcost.record.secrets.structures import masker_of
from hopcost.stacks.app.ready import wait_until_it_listens
from hopcost.stacks.app.services import SharedService
from hopcost.stacks.app.start import AppInSession
from hopcost.stacks.app.supply import Supply
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.stacks.failure import quote_named_lines
from hopcost.stacks.host import Host
from hopcost.stacks.jail.outcome import Outcome, outcome_of
from hopcost.stacks.jail.prepare import Jail
from hopcost.stacks.jail.tried.start import jail_net
from hopcost.stacks.prepare import certificate
from hopcost.stacks.prepare.prepared import PreparedHop, PreparedStack
from hopcost.stacks.prepare.stack import prepare, prepare_at_own_addresses
from hopcost.stacks.sandbox import namespaces, session, sockets, usage
from hopcost.stacks.sandbox.namespaces import STACK
from hopcost.stacks.sandbox.ports import NamespacePorts, client_ports
from hopcost.stacks.sandbox.session import Net, NotStarted
from hopcost.stacks.surroundings import SurroundingsRequest, read_surroundings, why_refused
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Settings

REPRODUCE = "see the command and the generated files with `hopcost show SUITE/EXPERIMENT/ARM`"


class Stack(Protocol):
    """What the measuring loop knows of an arm that answers: programs that hopcost started, or a running server."""

    @property
    def arm(self) -> str:
        """The arm's name."""

    @property
    def prepared(self) -> PreparedStack:
        """What it consists of."""

    @property
    def surroundings(self) -> Surroundings | None:
        """What it runs in; None if hopcost did not make it."""

    @property
    def processes(self) -> dict[str, list[int]]:
        """The present processes of each hop, by hop name."""

    @property
    def network_namespace(self) -> str | None:
        """The file of the namespace in which a client opens its sockets; None for this process's own."""

    @property
    def freeze(self) -> dict[str, object] | None:
        """What freezes it, in the words of the engine's plan; None: nothing does."""

    @property
    def services(self) -> list[SharedService]:
        """The services that its apps use."""

    def as_client(self) -> contextlib.AbstractContextManager[None]:
        """Moves the calling thread into the namespace of a client."""

    def account_of(self, hop: str) -> str | None:
        """The cgroup that counts the CPU time of a hop, if one does."""

    def memory(self) -> dict[str, Memory]:
        """The memory of each hop, over its present processes."""

    def time_wait(self) -> list[TimeWait]:
        """The present connections in TIME_WAIT, by link and by the side that closed them."""

    def cpu_by_account(self) -> dict[str, int]:
        """CPU time used so far, in ns, by what counts it: stacks may have processes in common."""

    def failure(self) -> str | None:
        """What of it has ended; None while all of it runs."""


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
        self._ready_s = ready_s
        self._wishes = SurroundingsRequest(
            sysctls=arm.sysctls, open_files=arm.open_files, link_mbit_per_s=arm.link_mbit_per_s
        )
        self._roots: dict[str, int] = {}
        self._content, self._settings, self._masker = arm, settings, masker_of(arm)
        self.ready_after_s: dict[str, float] = {}  # by hop, from its start until it was ready
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
            front = LOOPBACK if arm.link_mbit_per_s is None else STACK
            with _arm_to_blame(name, CannotMeasure):
                self.prepared = prepare(name, arm, settings, cores, self.session.directory, ports, front)
            self.surroundings = read_surroundings(
                name, self._wishes, self.session, self.prepared.open_files, [*self.supply.notes, *self._jail_notes]
            )
            self._start()
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
    def processes(self) -> dict[str, list[int]]:
        """The present processes of each hop, by hop name; forwarders are hops too, the last ones."""
        return {name: self.session.processes(name, root) for name, root in self._roots.items()}

    @property
    def services(self) -> list[SharedService]:
        """What the stack's apps use outside it, on this machine: shared with other stacks, never frozen."""
        return self.supply.services(self._roots)

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

    def failure(self) -> str | None:
        """Which program has ended, with its last lines; None while all of them run."""
        for name, status in self.session.poll().items():
            return self._describe_end(name, status)
        return None

    def last_lines(self, hop: str) -> str:
        """The end of what a hop has printed; empty if that is nothing."""
        return session.last_lines(self.session.log(hop))

    def _start(self) -> None:
        prepared = self.prepared
        for file, text in self._certificate().items():
            self.session.put(file, text)
        self.supply.enter(self.session, [hop.address.port for hop in prepared.hops if hop.address.port is not None])
        self._roots |= self.supply.start(self.session, prepared.cores, prepared.open_files)
        self._start_helpers()
        for place in reversed(range(len(prepared.hops))):
            hop, began = self.prepared.hops[place], time.monotonic()
            self._start_hop(hop)
            self.ready_after_s[hop.name] = time.monotonic() - began

    @property
    def _jail(self) -> Jail | None:
        return self.prepared.hops[0].jail

    @property
    def _jail_notes(self) -> list[str]:
        """What differs from the user's own files, and what stands for their upstreams."""
        return [] if self._jail is None else self._jail.notes

    def _certificate(self) -> dict[str, str]:
        """What the first hop needs to speak TLS, or its clients to trust it; by file name."""
        if not self.prepared.address.is_tls:
            return {}
        if self._jail is not None:
            return {certificate.CERTIFICATE: self._jail.authorities}
        return certificate.make_certificate(self.prepared.address.host)

    def _start_helpers(self) -> None:
        """Start what a jail needs besides the next hop."""
        cores, files = self.prepared.cores.stack, self.prepared.open_files
        for name, command in (self._jail.helpers if self._jail is not None else {}).items():
            self._roots[name] = self.session.start(name, command, cores, files)
            deadline = time.monotonic() + self._ready_s
            while not session.last_lines(self.session.log(name)):  # its first line says that it listens
                if name in self.session.poll() or time.monotonic() > deadline:
                    break
                time.sleep(0.002)
            if (status := self.session.poll().get(name)) is not None:
                raise ArmFailed(self.arm, self._describe_end(name, status), REPRODUCE)

    def _start_hop(self, hop: PreparedHop) -> None:
        for file, text in hop.files.items():
            self.session.put(file, text)
        for file, content in (hop.jail.made if hop.jail is not None else {}).items():
            (self.session.directory / file).write_bytes(content)
        self._roots[hop.name] = self.session.start(
            hop.name, hop.command, self.prepared.cores.stack, self.prepared.open_files, hop.folder, hop.environment
        )
        if hop.app is None:
            self._wait_until_ready(hop)
        else:
            self._wait_until_app_listens(hop, hop.app)

    def _wait_until_app_listens(self, hop: PreparedHop, app: App) -> None:
        """The hops before it are told if it took `localhost` for IPv6."""
        started = AppInSession(
            self.arm, hop.name, app, hop.address, self.session, self._roots[hop.name], lambda: self._log(hop.name)
        )
        try:
            address = wait_until_it_listens(started)
        except ArmFailed as error:
            missed = self.supply.hint()
            if missed is not None:
                error.message += f"\n{missed}"  # reports show no hints
                error.args = (error.message,)
            raise
        if address != hop.address:
            self._tell(hop.name, address)

    def _tell(self, name: str, address: Address) -> None:
        """A hop listens at another address than was decided; those before it have not been started yet."""
        self.prepared = prepare_at_own_addresses(
            self.prepared, self._content, self._settings, self.session.directory, {name: address}
        )

    def _wait_until_ready(self, hop: PreparedHop) -> None:
        ready_s = self._ready_s + METHOD.ready_s_per_child * hop.children
        deadline = time.monotonic() + ready_s
        while (reason := self._why_not_ready(hop)) is not None:
            status = self.session.poll().get(hop.name)
            if status is not None:
                raise ArmFailed(self.arm, self._describe_end(hop.name, status), REPRODUCE)
            if time.monotonic() > deadline:
                late = f"{hop.name} did not get ready within {ready_s:g} s: {hop.address.address}: {reason}"
                raise ArmFailed(self.arm, late + self._log(hop.name), REPRODUCE)
            time.sleep(0.005)

    def _why_not_ready(self, hop: PreparedHop) -> str | None:
        """None if the hop listens and all its children are there."""
        if hop.children:
            children = len(session.process_tree(self._roots[hop.name])) - 1
            if children < hop.children:
                return f"{children} of {hop.children} processes are there"
        with namespaces.inside(self.session.namespace):
            try:
                hop.address.connect(timeout_s=1.0).close()
            except OSError as error:
                return str(error)
        return None

    def _describe_end(self, name: str, status: int) -> str:
        how = f"with exit code {status}" if status >= 0 else f"by signal {-status}"
        return f"{name} ended {how}{self._log(name)}"

    def _log(self, name: str) -> str:
        text = session.last_lines(self.session.log(name))
        files = next((hop.shown_files for hop in self.prepared.hops if hop.name == name), {})
        quoted = quote_named_lines(text, files)
        return self._masker.mask_text(
            (f"; its last lines:\n{text}" if text else "") + (f"\n{quoted}" if quoted else "")
        )


def hop_names(stack: Stack) -> list[str]:
    """The hops whose CPU time is the stack's: from the client's side to the origin, then what carries to services."""
    hops = [hop.name for hop in stack.prepared.hops]
    return [*hops, *(name for name in stack.processes if name not in hops)]


@contextlib.contextmanager
def _arm_to_blame(arm: str, kind: type[HopcostError]) -> Iterator[None]:
    """Turn errors of this kind into ArmFailed."""
    try:
        yield
    except kind as error:
        raise ArmFailed(arm, error.message, error.hint) from error
