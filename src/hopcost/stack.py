"""Hops made of programs: what a stack consists of on this machine, and starting, watching and stopping it.

`prepare` decides everything and starts nothing (that is what `hopcost show` prints); `RunningStack` is that, alive.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import time
from pathlib import Path
from types import TracebackType

import msgspec

from hopcost import (
    certificate,
    host,
    leavings,
    namespace,
    network,
    program,
    refusal,
    routes,
    sandbox,
    templates,
    usage,
)
from hopcost.errors import ArmFailed, CannotMeasure, MeasurementFailed, UsageError
from hopcost.network import Network, Surroundings, Wishes, measure_link, missing_for, not_to_be_had
from hopcost.sandbox import Cores, Freezer, NamespacePorts, Ports
from hopcost.suite import Arm, Hop, Link, Setting, Settings

READY_S, READY_S_PER_CHILD = 10.0, 0.01
LABEL_LONGEST = 120  # a file name has 255 bytes
LINK_CARRIES_LEAST = 0.8  # of its rate in a plain transfer, heads of packets taken off
LOOPBACK = "127.0.0.1"


class Address(msgspec.Struct, frozen=True):
    """Where a hop listens: `address` is `host:port`, or a socket file's path; `ca_file` is whom a client trusts."""

    link: str
    address: str
    ca_file: str | None = None

    @property
    def is_unix(self) -> bool:
        """Whether it is a socket file."""
        return Link(self.link).is_unix

    @property
    def is_tls(self) -> bool:
        """Whether the client's first bytes are a handshake."""
        return Link(self.link) is Link.HTTPS_TCP

    @property
    def port(self) -> int | None:
        """Its port; None for a socket file."""
        return None if self.is_unix else int(self.address.rpartition(":")[2])

    @property
    def wire(self) -> str:
        """`http`, `https` or `fastcgi`."""
        return self.link.partition("+")[0]

    @property
    def url(self) -> str:
        """For a person; a socket file in the form that `hopcost load` takes."""
        return f"http+unix://{self.address.replace('/', '%2F')}" if self.is_unix else f"{self.wire}://{self.address}"

    def connect(self, timeout_s: float) -> socket.socket:
        """A connected socket, after the handshake where there is one; OSError when nobody listens or TLS fails."""
        if self.is_unix:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout_s)
            try:
                connection.connect(self.address)
            except OSError:
                connection.close()
                raise
            return connection
        name, _, port = self.address.rpartition(":")
        connection = socket.create_connection((name, int(port)), timeout=timeout_s)
        if not self.is_tls:
            return connection
        try:
            return ssl.create_default_context(cafile=self.ca_file).wrap_socket(connection, server_hostname=name)
        except OSError:
            connection.close()
            raise


class PreparedHop(msgspec.Struct):
    """A hop with everything decided: its command line and the files generated for it (name → text).

    It is ready when it has as many `children`; where it `forks` its processes come and go, or are very many.
    """

    name: str
    program: str
    version: str
    address: Address
    settings: dict[str, Setting]
    command: list[str]
    files: dict[str, str]
    children: int = 0
    forks: bool = False


class PreparedStack(msgspec.Struct):
    """A stack with everything decided, from the hop that the client reaches to the origin; nothing runs yet."""

    arm: str
    hops: list[PreparedHop]
    cores: Cores
    open_files: int

    @property
    def address(self) -> Address:
        """Where the client connects to."""
        return self.hops[0].address


def prepare(
    name: str,
    arm: Arm,
    settings: Settings,
    cores: Cores,
    directory: Path,
    ports: Ports,
    front: str = LOOPBACK,
) -> PreparedStack:
    """Decide addresses, settings, command lines and files of an arm's stack in `directory`.

    The first hop listens on the address `front`, the others on the loopback.
    UsageError where the suite asks for what a program does not have; CannotMeasure where a program is missing.
    """
    where = f"arm {name}"
    open_files = sandbox.open_files(arm.open_files)
    hop_names = iter(_unique([hop.program for hop in arm.hops for _ in range(hop.copies)]))
    if arm.hops[0].copies > 1:
        first = arm.hops[0].program
        raise UsageError(f"{where}: {first}: copies: the client reaches one", "put a program that balances before them")
    names = [[next(hop_names) for _ in range(hop.copies)] for hop in arm.hops]
    addresses = [
        _addresses(where, hop, names[number], directory, ports, LOOPBACK if number else front)
        for number, hop in enumerate(arm.hops)
    ]
    prepared = []
    for number, hop in enumerate(arm.hops):
        definition = program.load(hop.program)
        upstreams = addresses[number + 1] if number + 1 < len(arm.hops) else []
        _check_links(where, definition, hop.link, upstreams)
        given = settings.get(hop.program, {}) | hop.settings
        resolved = definition.resolve_settings(given, len(cores.stack), where)
        receipt = program.installed(hop.program).under(resolved)
        if receipt.path is None or receipt.version is None:
            raise CannotMeasure(f"{where}: {hop.program}: {receipt.missing}", receipt.remedy)
        for hop_name, address in zip(names[number], addresses[number], strict=True):
            context = {
                "name": hop_name,
                "executable": receipt.path,
                "directory": str(directory),
                "content": str(routes.CONTENT),
                "routes": routes.ROUTES,
                "listen": address,
                "upstream": upstreams[0] if upstreams else None,
                "upstreams": upstreams,
                "settings": resolved,
                "needs": receipt.needs,
                "open_files": open_files,
                "root": os.geteuid() == 0,
            }
            rendered = templates.rendered(definition, context)
            prepared.append(
                PreparedHop(
                    name=hop_name,
                    program=hop.program,
                    version=receipt.version,
                    address=address,
                    settings=resolved,
                    command=rendered.command,
                    files=rendered.files,
                    children=rendered.children,
                    forks=rendered.forks,
                )
            )
    return PreparedStack(arm=name, hops=prepared, cores=cores, open_files=open_files)


def _addresses(where: str, hop: Hop, names: list[str], directory: Path, ports: Ports, ip: str) -> list[Address]:
    """Where each copy of a hop listens."""
    link = hop.link.value
    if hop.link.is_unix:
        return [Address(link=link, address=str(directory / f"{name}.sock")) for name in names]
    if hop.port is not None and hop.copies > 1:
        raise UsageError(f"{where}: {hop.program}: port: {hop.copies} copies cannot all have port {hop.port}")
    taken = [ports.take() if hop.port is None else ports.claim(hop.port, f"{where}: {hop.program}") for _ in names]
    ca_file = str(directory / certificate.CERTIFICATE) if hop.link is Link.HTTPS_TCP else None
    return [Address(link=link, address=f"{ip}:{port}", ca_file=ca_file) for port in taken]


def _unique(programs: list[str]) -> list[str]:
    """Hop names: the program's, with a number where a program stands in the stack more than once."""
    return [
        name if programs.count(name) == 1 else f"{name}-{programs[: number + 1].count(name)}"
        for number, name in enumerate(programs)
    ]


def _check_links(where: str, definition: program.Program, link: Link, upstreams: list[Address]) -> None:
    if link not in definition.links:
        known = ", ".join(each.value for each in definition.links)
        raise UsageError(f"{where}: {definition.name} cannot be reached over {link.value}", f"it can over {known}")
    if upstreams and Link(upstreams[0].link) not in definition.upstream_links:
        known = ", ".join(each.value for each in definition.upstream_links)
        hint = f"it can over {known}" if known else f"{definition.name} is an origin: it must be the last hop"
        raise UsageError(f"{where}: {definition.name} does not forward over {upstreams[0].link}", hint)
    if not upstreams and not definition.is_origin:
        raise UsageError(f"{where}: {definition.name} cannot be the last hop: it only forwards")
    if len(upstreams) > 1 and not definition.balances:
        raise UsageError(f"{where}: {definition.name} does not balance: the next hop's copies: expected 1")


class RunningStack:
    """A stack that runs: started from the origin to the front, so that each hop finds the next one ready.

    A context manager; leaving it stops every program and removes every file, at once where an error or an interrupt is
    the reason. `label` names it in the machine's cgroups. Where `network` allows namespaces the stack has one of its
    own, and takes its ports there; `ports` are the host's.

    ArmFailed for what the arm's programs and wishes are to blame for, MeasurementFailed for faults of the keeper.
    """

    def __init__(
        self,
        name: str,
        arm: Arm,
        settings: Settings,
        cores: Cores,
        freezer: Freezer,
        ports: Ports,
        label: str,
        network: Network = network.HOST,
    ) -> None:
        self.arm = name
        self.freezer = freezer
        self.network = network
        self._wishes = Wishes(sysctls=arm.sysctls, open_files=arm.open_files, link_mbit_per_s=arm.link_mbit_per_s)
        self._cgroup_name = f"{leavings.CGROUP_PREFIX}{leavings.owner()}-{label[:LABEL_LONGEST]}"
        self._roots: dict[str, int] = {}
        refused = missing_for(self._wishes, network)
        if refused is not None:
            raise ArmFailed(name, *refused)
        self.session = host.Session(freezer.cgroups(self._cgroup_name), self._net())
        try:
            own = self.session.namespace
            try:
                self.prepared = prepare(
                    name,
                    arm,
                    settings,
                    cores,
                    self.session.directory,
                    ports if own is None else NamespacePorts(own),
                    LOOPBACK if arm.link_mbit_per_s is None else namespace.STACK,
                )
            except CannotMeasure as error:
                raise ArmFailed(name, error.message, error.hint) from error
            self.surroundings = self._surroundings()
            self._start()
        except host.NotStarted as error:
            self.session.kill()
            raise ArmFailed(name, error.message, error.hint) from error
        except BaseException:
            self.session.kill()
            raise

    def _net(self) -> host.Net | None:
        """The namespace to make, if there is to be one; only net.* sysctls are its own."""
        if not self.network.own:
            return None
        return host.Net(
            sysctls={key: value for key, value in self._wishes.sysctls.items() if key.startswith("net.")},
            link=self._wishes.link_mbit_per_s is not None,
            link_mbit_per_s=self._wishes.link_mbit_per_s,
        )

    def _surroundings(self) -> Surroundings:
        """What the kernel gave, read back, and what it did not; MeasurementFailed where the link carries nothing."""
        rate, carried = self._wishes.link_mbit_per_s, None
        notes = not_to_be_had(self._wishes.sysctls)
        notes += [f"{key} = {self._wishes.sysctls[key]}: {why}" for key, why in self.session.refused.items()]
        wanted, got = self._wishes.open_files, self.prepared.open_files
        if wanted is not None and got < wanted:
            notes.append(f"open files: {wanted} asked for, {got} given: that is the hard limit here")
        own, client = self.session.namespace, self.session.client_namespace
        if rate is not None and own is not None and client is not None:
            try:
                carried = measure_link(own, client, rate)
            except OSError as error:
                raise MeasurementFailed(f"{self.arm}: the link of {rate} Mbit/s carries nothing: {error}") from error
            if carried < rate * 1_000_000 * LINK_CARRIES_LEAST:
                notes.append(f"the link of {rate} Mbit/s carried less than {LINK_CARRIES_LEAST:.0%} of that alone")
        return Surroundings(
            network="host" if own is None else "own",
            open_files=got,
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
        """The processes of each hop as they are now, by hop name."""
        return {name: self.session.processes(name, root) for name, root in self._roots.items()}

    @property
    def network_namespace(self) -> str | None:
        """The file of the namespace in which a client of this stack opens its sockets; None is this process's own."""
        return self.session.client_namespace

    def as_client(self) -> contextlib.AbstractContextManager[None]:
        """The calling thread where a client of this stack belongs."""
        return namespace.inside(self.network_namespace)

    @property
    def freeze(self) -> dict[str, object]:
        """What freezes this stack, in the words of the engine's plan."""
        if self.session.cgroup is not None:
            return {self.freezer.kind: str(self.session.cgroup)}
        return {"signal": [pid for pids in self.processes.values() for pid in pids]}

    def account_of(self, hop: str) -> str | None:
        """The cgroup that counts the CPU time of a hop whose processes come and go; None for others, or without one."""
        counting = self.freezer.account_of(self._cgroup_name)
        forks = any(each.name == hop and each.forks for each in self.prepared.hops)
        return str(counting / hop) if forks and counting is not None and counting in self.session.cgroups else None

    def memory(self) -> dict[str, usage.Memory]:
        """The memory of each hop, over its processes as they are now."""
        return {name: usage.memory(pids) for name, pids in self.processes.items()}

    def time_wait(self) -> list[usage.TimeWait]:
        """Connections in TIME_WAIT as they are now, by the link that they were on and the side that closed them."""
        listening = {hop.name: hop.address.port for hop in self.prepared.hops if hop.address.port is not None}
        return usage.time_wait(listening, [self.session.namespace, self.network_namespace])

    def cpu_ns(self) -> int:
        """CPU time that all processes of the stack have used, in ns, to the kernel's tick where it has no cgroup."""
        counting = self.freezer.account_of(self._cgroup_name)
        if counting is not None and counting in self.session.cgroups:
            return usage.account_ns(counting)
        return sum(host.cpu_ns(pid) for pids in self.processes.values() for pid in pids)

    def failure(self) -> str | None:
        """Why the stack no longer stands, with the last lines of the program that ended; None while it does."""
        for name, status in self.session.poll().items():
            return self._ended(name, status)
        return None

    def _start(self) -> None:
        if self.prepared.address.is_tls:
            for file, text in certificate.make(self.prepared.address.address.rpartition(":")[0]).items():
                self.session.put(file, text)
        for hop in self.prepared.hops:
            for file, text in hop.files.items():
                self.session.put(file, text)
        for hop in reversed(self.prepared.hops):
            self._roots[hop.name] = self.session.start(
                hop.name, hop.command, self.prepared.cores.stack, self.prepared.open_files
            )
            self._wait_until_ready(hop)

    def _wait_until_ready(self, hop: PreparedHop) -> None:
        ready_s = READY_S + READY_S_PER_CHILD * hop.children
        deadline = time.monotonic() + ready_s
        while True:
            with namespace.inside(self.session.namespace):
                not_yet = self._not_yet(hop)
            if not_yet is None:
                return
            status = self.session.poll().get(hop.name)
            if status is not None:
                raise ArmFailed(self.arm, self._ended(hop.name, status), self._reproduce())
            if time.monotonic() > deadline:
                raise ArmFailed(
                    self.arm,
                    f"{hop.name} did not get ready within {ready_s:g} s: {hop.address.address}: {not_yet}"
                    + self._log(hop.name),
                    self._reproduce(),
                )
            time.sleep(0.005)

    def _not_yet(self, hop: PreparedHop) -> str | None:
        """Why the hop is not ready; None when it is: it listens, and its children are there."""
        if hop.children:
            children = len(host.process_tree(self._roots[hop.name])) - 1
            if children < hop.children:
                return f"{children} of {hop.children} processes are there"
        try:
            hop.address.connect(timeout_s=1.0).close()
        except OSError as error:
            return str(error)
        return None

    def _ended(self, name: str, status: int) -> str:
        how = f"with exit code {status}" if status >= 0 else f"by signal {-status}"
        return f"{name} ended {how}{self._log(name)}"

    def _log(self, name: str) -> str:
        text = host.last_lines(self.session.log(name))
        files = next(hop.files for hop in self.prepared.hops if hop.name == name)
        quoted = refusal.quoted(text, files)
        return (f"; its last lines:\n{text}" if text else "") + (f"\n{quoted}" if quoted else "")

    def _reproduce(self) -> str:
        return "see the command and the generated files with `hopcost show SUITE/EXPERIMENT/ARM`"
