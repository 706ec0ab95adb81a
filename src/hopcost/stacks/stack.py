"""A stack that runs: its hops are started, watched, frozen and stopped. prepare.py decides what it consists of."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from types import TracebackType

from hopcost.errors import ArmFailed, CannotMeasure, HopcostError, MeasurementFailed
from hopcost.plan.cores import Cores
from hopcost.plan.method import METHOD
from hopcost.record.evidence import Memory, NetworkKind, Surroundings, TimeWait
from hopcost.stacks import certificate
from hopcost.stacks.address import LOOPBACK
from hopcost.stacks.failure import quote_named_lines
from hopcost.stacks.host import Host
from hopcost.stacks.prepare import PreparedHop, prepare
from hopcost.stacks.sandbox import namespaces, session, sockets, usage
from hopcost.stacks.sandbox.namespaces import STACK
from hopcost.stacks.sandbox.ports import NamespacePorts, client_ports
from hopcost.stacks.sandbox.session import Net, NotStarted
from hopcost.stacks.surroundings import SurroundingsRequest, measure_link, unavailable_sysctls, why_refused
from hopcost.suites.arm import Arm, Settings

LINK_CARRIES_LEAST = 0.8  # of its rate in a plain transfer, heads of packets taken off
REPRODUCE = "see the command and the generated files with `hopcost show SUITE/EXPERIMENT/ARM`"


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
        refusal = why_refused(self._wishes, host.network)
        if refusal is not None:
            raise ArmFailed(name, *refusal)
        with contextlib.ExitStack() as undo, _arm_to_blame(name, NotStarted):
            self.session = host.session(label, self._net())
            undo.callback(self.session.kill)
            own = self.session.namespace
            ports = host.ports if own is None else NamespacePorts(client_ports(own))
            front = LOOPBACK if arm.link_mbit_per_s is None else STACK
            with _arm_to_blame(name, CannotMeasure):
                self.prepared = prepare(name, arm, settings, cores, self.session.directory, ports, front)
            self.surroundings = self._surroundings()
            self._start()
            undo.pop_all()

    def _net(self) -> Net | None:
        """The namespace to make, or None. Of the sysctls only net.* belong to a namespace."""
        if not self._host.network.own:
            return None
        return Net(
            sysctls={key: value for key, value in self._wishes.sysctls.items() if key.startswith("net.")},
            link=self._wishes.link_mbit_per_s is not None,
            link_mbit_per_s=self._wishes.link_mbit_per_s,
        )

    def _surroundings(self) -> Surroundings:
        """What the kernel gave, and notes on what it refused. MeasurementFailed if the link carries nothing."""
        rate, carried = self._wishes.link_mbit_per_s, None
        notes = unavailable_sysctls(self._wishes.sysctls)
        notes += [f"{key} = {self._wishes.sysctls[key]}: {why}" for key, why in self.session.refused.items()]
        wanted, limit = self._wishes.open_files, self.prepared.open_files
        if wanted is not None and limit < wanted:
            notes.append(f"open files: {wanted} asked for, {limit} given: that is the hard limit here")
        own, client = self.session.namespace, self.session.client_namespace
        if rate is not None and own is not None and client is not None:
            try:
                carried = measure_link(own, client, rate)
            except OSError as error:
                raise MeasurementFailed(f"{self.arm}: the link of {rate} Mbit/s carries nothing: {error}") from error
            if carried < rate * 1_000_000 * LINK_CARRIES_LEAST:
                notes.append(f"the link of {rate} Mbit/s carried less than {LINK_CARRIES_LEAST:.0%} of that alone")
        return Surroundings(
            network=NetworkKind.HOST if own is None else NetworkKind.OWN,
            open_files=limit,
            sysctls=self.session.sysctls,
            link_mbit_per_s=rate,
            link_bits_per_s=carried,
            notes=notes,
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

    @property
    def processes(self) -> dict[str, list[int]]:
        """The present processes of each hop, by hop name."""
        return {name: self.session.processes(name, root) for name, root in self._roots.items()}

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

    def failure(self) -> str | None:
        """Which program has ended, with its last lines; None while all of them run."""
        for name, status in self.session.poll().items():
            return self._describe_end(name, status)
        return None

    def _start(self) -> None:
        front = self.prepared.address
        files = certificate.make_certificate(front.address.rpartition(":")[0]) if front.is_tls else {}
        for hop in self.prepared.hops:
            files |= hop.files
        for file, text in files.items():
            self.session.put(file, text)
        for hop in reversed(self.prepared.hops):
            self._roots[hop.name] = self.session.start(
                hop.name, hop.command, self.prepared.cores.stack, self.prepared.open_files
            )
            self._wait_until_ready(hop)

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
        files = next(hop.files for hop in self.prepared.hops if hop.name == name)
        quoted = quote_named_lines(text, files)
        return (f"; its last lines:\n{text}" if text else "") + (f"\n{quoted}" if quoted else "")


@contextlib.contextmanager
def _arm_to_blame(arm: str, kind: type[HopcostError]) -> Iterator[None]:
    """Turn errors of this kind into ArmFailed."""
    try:
        yield
    except kind as error:
        raise ArmFailed(arm, error.message, error.hint) from error
