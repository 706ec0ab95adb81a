"""The programs of a stack in its session: started from the origin to the front, each one ready before the next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from hopcost.errors import ArmFailed
from hopcost.plan.method import METHOD
from hopcost.record.secrets.structures import masker_of
from hopcost.stacks.app.ready import wait_until_it_listens
from hopcost.stacks.app.start import AppInSession
from hopcost.stacks.app.supply import Supply
from hopcost.stacks.client.address import Address
from hopcost.stacks.jail.prepare import Jail
from hopcost.stacks.prepare import certificate
from hopcost.stacks.prepare.prepared import PreparedHop, PreparedStack
from hopcost.stacks.prepare.stack import prepare_at_own_addresses
from hopcost.stacks.running.failure import quote_named_lines
from hopcost.stacks.sandbox import namespaces, session
from hopcost.stacks.sandbox.session import Session
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Settings

REPRODUCE = "see the command and the generated files with `hopcost show SUITE/EXPERIMENT/ARM`"


class RestartTimes(NamedTuple):
    """How long a program took to end, and then until it was ready again."""

    stopping_ns: int
    starting_ns: int


class Programs:
    """The programs that a stack was prepared with, and what its first hop and its apps need besides.

    `roots` are the processes that were started, by name. A hop must be ready `ready_s` after its start, later if it
    has many children. ArmFailed if it is not, or if a program ends.
    """

    def __init__(
        self, prepared: PreparedStack, arm: Arm, settings: Settings, session: Session, supply: Supply, ready_s: float
    ) -> None:
        self.prepared = prepared
        self.roots: dict[str, int] = {}
        self.ready_after_s: dict[str, float] = {}  # by hop, from its start until it was ready
        self._arm, self._settings, self._masker = arm, settings, masker_of(arm)
        self._session, self._supply, self._ready_s = session, supply, ready_s

    def start(self) -> None:
        """Start all of them."""
        prepared = self.prepared
        for file, text in self._certificate().items():
            self._session.put(file, text)
        self._supply.enter(self._session, [hop.address.port for hop in prepared.hops if hop.address.port is not None])
        self.roots |= self._supply.start(self._session, prepared.cores, prepared.open_files)
        self._start_helpers()
        for place in reversed(range(len(prepared.hops))):
            hop, began = self.prepared.hops[place], time.monotonic()
            self._start_hop(hop)
            self.ready_after_s[hop.name] = time.monotonic() - began

    def restart(self, name: str) -> RestartTimes:
        """End a program by SIGTERM, and start it anew; ArmFailed if it has ended already, or does not start."""
        hop = next(hop for hop in self.prepared.hops if hop.name == name)
        if (status := self._session.poll().get(name)) is not None:
            raise ArmFailed(self.prepared.arm, self._describe_end(name, status))
        began_ns = time.monotonic_ns()
        self._session.end(name, self.roots[name])
        ended_ns = time.monotonic_ns()
        if hop.address.is_unix:
            Path(hop.address.address).unlink(missing_ok=True)
        self._start_hop(hop)
        return RestartTimes(ended_ns - began_ns, time.monotonic_ns() - ended_ns)

    def failure(self) -> str | None:
        """Which program has ended, with its last lines; None while all of them run."""
        for name, status in self._session.poll().items():
            return self._describe_end(name, status)
        return None

    @property
    def _jail(self) -> Jail | None:
        return self.prepared.hops[0].jail

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
            self.roots[name] = self._session.start(name, command, cores, files)
            deadline = time.monotonic() + self._ready_s
            while not session.last_lines(self._session.log(name)):  # its first line says that it listens
                if name in self._session.poll() or time.monotonic() > deadline:
                    break
                time.sleep(0.002)
            if (status := self._session.poll().get(name)) is not None:
                raise ArmFailed(self.prepared.arm, self._describe_end(name, status), REPRODUCE)

    def _start_hop(self, hop: PreparedHop) -> None:
        for file, text in hop.files.items():
            self._session.put(file, text)
        for file, content in (hop.jail.made if hop.jail is not None else {}).items():
            (self._session.directory / file).write_bytes(content)
        self.roots[hop.name] = self._session.start(
            hop.name, hop.command, self.prepared.cores.stack, self.prepared.open_files, hop.folder, hop.environment
        )
        if hop.app is None:
            self._wait_until_ready(hop)
        else:
            self._wait_until_app_listens(hop, hop.app)

    def _wait_until_app_listens(self, hop: PreparedHop, app: App) -> None:
        """The hops before it are told if it took `localhost` for IPv6."""
        arm, root = self.prepared.arm, self.roots[hop.name]
        started = AppInSession(arm, hop.name, app, hop.address, self._session, root, lambda: self._log(hop.name))
        try:
            address = wait_until_it_listens(started)
        except ArmFailed as error:
            missed = self._supply.hint()
            if missed is not None:
                error.message += f"\n{missed}"  # reports show no hints
                error.args = (error.message,)
            raise
        if address != hop.address:
            self._tell(hop.name, address)

    def _tell(self, name: str, address: Address) -> None:
        """A hop listens at another address than was decided; those before it have not been started yet."""
        self.prepared = prepare_at_own_addresses(
            self.prepared, self._arm, self._settings, self._session.directory, {name: address}
        )

    def _wait_until_ready(self, hop: PreparedHop) -> None:
        ready_s = self._ready_s + METHOD.ready_s_per_child * hop.children
        deadline = time.monotonic() + ready_s
        while (reason := self._why_not_ready(hop)) is not None:
            status = self._session.poll().get(hop.name)
            if status is not None:
                raise ArmFailed(self.prepared.arm, self._describe_end(hop.name, status), REPRODUCE)
            if time.monotonic() > deadline:
                late = f"{hop.name} did not get ready within {ready_s:g} s: {hop.address.address}: {reason}"
                raise ArmFailed(self.prepared.arm, late + self._log(hop.name), REPRODUCE)
            time.sleep(0.005)

    def _why_not_ready(self, hop: PreparedHop) -> str | None:
        """None if the hop listens and all its children are there."""
        if hop.children:
            children = len(session.process_tree(self.roots[hop.name])) - 1
            if children < hop.children:
                return f"{children} of {hop.children} processes are there"
        with namespaces.inside(self._session.namespace):
            try:
                hop.address.connect(timeout_s=1.0).close()
            except OSError as error:
                return str(error)
        return None

    def _describe_end(self, name: str, status: int) -> str:
        how = f"with exit code {status}" if status >= 0 else f"by signal {-status}"
        return f"{name} ended {how}{self._log(name)}"

    def _log(self, name: str) -> str:
        text = session.last_lines(self._session.log(name))
        files = next((hop.shown_files for hop in self.prepared.hops if hop.name == name), {})
        quoted = quote_named_lines(text, files)
        return self._masker.mask_text(
            (f"; its last lines:\n{text}" if text else "") + (f"\n{quoted}" if quoted else "")
        )
