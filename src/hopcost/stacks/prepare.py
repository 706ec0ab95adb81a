"""What a stack consists of on this machine: addresses, settings, command lines, files. It starts nothing.

`hopcost show` prints it; stack.py makes it run.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from hopcost.errors import CannotMeasure, UsageError
from hopcost.plan.cores import Cores
from hopcost.programs import content, read
from hopcost.programs.content import CONTENT, ROUTES
from hopcost.programs.definition import templates
from hopcost.programs.definition.definition import Program
from hopcost.programs.receipt import receipt_of
from hopcost.stacks.app.command import app_command
from hopcost.stacks.app.needs import services_of
from hopcost.stacks.certificate import CERTIFICATE
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.stacks.jail.prepare import Jail, front_address, next_address, prepare_in_jail
from hopcost.stacks.sandbox import ports as sandbox_ports
from hopcost.stacks.sandbox.ports import Ports
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link, Settings, SettingValue
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer

PID_MAX = Path("/proc/sys/kernel/pid_max")


class PreparedHop(msgspec.Struct):
    """A hop with everything decided: its command line and the files generated for it (name → text).

    It is ready when it has as many `children`. If it `forks`, its processes come and go, or are very many. `config` is
    the file that replaces the program's own configuration. The user's own `app` has a `folder` and an `environment`,
    the user's own `configuration` a `jail`.
    """

    name: str
    program: str
    version: str
    address: Address
    settings: dict[str, SettingValue]
    command: list[str]
    files: dict[str, str]
    children: int = 0
    forks: bool = False
    config: str | None = None
    app: App | None = None
    folder: str | None = None
    environment: dict[str, str] = {}
    configuration: Configuration | None = None
    jail: Jail | None = None

    @property
    def shown_files(self) -> dict[str, str]:
        """The files as somebody may see them: without the secrets of the user's own configuration."""
        return {name: text if self.jail is None else self.jail.mask(text) for name, text in self.files.items()}


class PreparedStack(msgspec.Struct):
    """A stack with everything decided, from the hop that the client reaches to the origin; nothing runs yet.

    `server` is a server that runs already, in its place.
    """

    arm: str
    hops: list[PreparedHop]
    cores: Cores
    open_files: int
    server: RunningServer | None = None

    @property
    def address(self) -> Address:
        """Where the client connects to."""
        return self.hops[0].address


class _Shared(NamedTuple):
    """What all hops of a stack share; `reserved` are ports that no other hop may take."""

    where: str
    settings: Settings
    cores: Cores
    directory: Path
    open_files: int
    reserved: frozenset[int] = frozenset()


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
    UsageError if the suite asks for what a program does not have; CannotMeasure if a program is missing.
    """
    reserved = {service.port for service in services_of(arm)}
    reserved |= {hop.fixed_port for hop in arm.hops if hop.fixed_port is not None}
    open_files = sandbox_ports.open_files(arm.open_files)
    shared = _Shared(f"arm {name}", settings, cores, directory, open_files, frozenset(reserved))
    _check_front(arm, shared.where)
    names = _hop_names(arm)
    addresses = [
        _addresses(shared, hop, names[number], ports, LOOPBACK if number else front)
        for number, hop in enumerate(arm.hops)
    ]
    if arm.hops[0].configuration is not None:
        addresses = _addresses_of_configuration(arm, arm.hops[0].configuration, names, shared.directory, front)
    return _prepare_at(name, arm, shared, names, addresses)


def prepare_at_own_addresses(
    prepared: PreparedStack, arm: Arm, settings: Settings, directory: Path, addresses: Mapping[str, Address]
) -> PreparedStack:
    """The prepared stack, once more, with other addresses of these hops: the hops before them are told."""
    shared = _Shared(f"arm {prepared.arm}", settings, prepared.cores, directory, prepared.open_files)
    started = {hop.name: hop for hop in prepared.hops}
    decided = {name: hop.address for name, hop in started.items()} | dict(addresses)
    names = _hop_names(arm)
    again = _prepare_at(prepared.arm, arm, shared, names, [[decided[name] for name in copies] for copies in names])
    for number, hop in enumerate(again.hops):
        if hop.name in addresses:  # it runs with the words that it was given
            again.hops[number] = msgspec.structs.replace(started[hop.name], address=hop.address)
    return again


def _prepare_at(
    name: str, arm: Arm, shared: _Shared, names: list[list[str]], addresses: list[list[Address]]
) -> PreparedStack:
    """The stack whose hops' copies have these names and addresses."""
    hops: list[PreparedHop] = []
    for number, hop in enumerate(arm.hops):
        upstreams = addresses[number + 1] if number + 1 < len(addresses) else []
        hops += _prepare_copies(shared, hop, names[number], addresses[number], upstreams)
    return PreparedStack(arm=name, hops=hops, cores=shared.cores, open_files=shared.open_files)


def _check_front(arm: Arm, where: str) -> None:
    first = arm.hops[0]
    if first.copies > 1:
        raise UsageError(
            f"{where}: {first.program}: copies: the client reaches one", "put a program that balances before them"
        )
    if arm.link_mbit_per_s is not None and first.link.is_unix:
        raise UsageError(
            f"{where}: link_mbit_per_s has no effect: the client reaches {first.program} over a Unix socket",
            "a link with a rate is for an arm that is reached over TCP",
        )


def _hop_names(arm: Arm) -> list[list[str]]:
    """The names of each hop's copies: the program's, with a number if it stands in the stack more than once."""
    programs = [hop.program for hop in arm.hops for _ in range(hop.copies)]
    names = (
        name if programs.count(name) == 1 else f"{name}-{programs[: number + 1].count(name)}"
        for number, name in enumerate(programs)
    )
    return [list(itertools.islice(names, hop.copies)) for hop in arm.hops]


def _addresses(shared: _Shared, hop: Hop, names: list[str], ports: Ports, ip: str) -> list[Address]:
    """Where each copy of a hop listens."""
    link, where = hop.link.value, f"{shared.where}: {hop.program}"
    if hop.link.is_unix:
        return [Address(link=link, address=str(shared.directory / f"{name}.sock")) for name in names]
    port = hop.fixed_port
    if port is not None and hop.copies > 1:
        raise UsageError(f"{where}: port: {hop.copies} copies cannot all have port {port}")
    free = (number for number in iter(ports.take, None) if number not in shared.reserved)
    numbers = [next(free) if port is None else ports.claim(port, where) for _ in names]
    ca_file = str(shared.directory / CERTIFICATE) if hop.link is Link.HTTPS_TCP else None
    return [Address(link=link, address=f"{ip}:{number}", ca_file=ca_file) for number in numbers]


def _addresses_of_configuration(
    arm: Arm, configuration: Configuration, names: list[list[str]], directory: Path, front: str
) -> list[list[Address]]:
    """Where the user's own configuration listens, and where it looks for the hop after it."""
    addresses = [[front_address(arm.hops[0], configuration, front, directory)]]
    for hop, (name, *_) in zip(arm.hops[1:], names[1:], strict=True):
        addresses.append([next_address(configuration, hop, directory / f"{name}.sock")])
    return addresses


def _prepare_copies(
    shared: _Shared, hop: Hop, names: list[str], addresses: list[Address], upstreams: list[Address]
) -> Iterator[PreparedHop]:
    """The copies of one hop, each at its address; all forward to the same `upstreams`."""
    where = f"{shared.where}: {hop.program}"
    _check_links(shared.where, read.program_of(hop), hop.link, upstreams)
    if hop.last_copy and hop.copies == 1:
        raise UsageError(f"{where}: last_copy: there is one copy", "copies says how many there are")
    for name, address in zip(names, addresses, strict=True):
        settings = hop.settings_over(shared.settings) | (hop.last_copy if name == names[-1] else {})
        yield _prepare_hop(shared, hop, name, settings, address, upstreams)


def _prepare_hop(
    shared: _Shared,
    hop: Hop,
    name: str,
    settings: dict[str, SettingValue],
    address: Address,
    upstreams: list[Address],
) -> PreparedHop:
    """One copy: the settings with their defaults, the executable, and the templates filled in."""
    where = f"{shared.where}: {hop.program}"
    program = read.program_of(hop)
    resolved = program.resolve_settings(settings, len(shared.cores.stack), shared.where)
    if hop.configuration is not None:
        return _prepare_configuration(shared, hop, hop.configuration, name, address, upstreams)
    receipt = receipt_of(hop).under(resolved)
    if receipt.path is None or receipt.version is None:
        raise CannotMeasure(f"{where}: {receipt.missing}", receipt.remedy)
    if hop.config is not None and not program.config:
        raise UsageError(f"{where}: config: it has no configuration file", "leave `config` out")
    if hop.app is not None:
        return _prepare_app(hop, hop.app, name, address, receipt.path)
    context = {
        "name": name,
        "executable": receipt.path,
        "directory": str(shared.directory),
        "content": str(CONTENT),
        "files": str(content.large_files_folder()),
        "routes": ROUTES,
        "listen": address,
        "upstream": upstreams[0] if upstreams else None,
        "upstreams": upstreams,
        "settings": resolved,
        "needs": receipt.needs,
        "open_files": shared.open_files,
        "root": os.geteuid() == 0,
    }
    rendered = templates.render(program, program.folder, context, None if hop.config is None else Path(hop.config))
    _refuse_too_many(f"{shared.where}: {name}", rendered.children)
    return PreparedHop(
        name=name,
        program=hop.program,
        version=receipt.version,
        address=address,
        settings=resolved,
        command=rendered.command,
        files=rendered.files,
        children=rendered.children,
        forks=rendered.forks,
        config=hop.config,
    )


def _prepare_configuration(
    shared: _Shared, hop: Hop, configuration: Configuration, name: str, address: Address, upstreams: list[Address]
) -> PreparedHop:
    """The user's own nginx.conf, in a jail."""
    parts = prepare_in_jail(name, configuration, upstreams, shared.directory, shared.cores.stack)
    return PreparedHop(
        name=name,
        program=hop.program,
        version=parts.version,
        address=address,
        settings={},
        command=parts.command,
        files=parts.files,
        children=parts.children,
        forks=parts.forks,
        configuration=configuration,
        jail=parts.jail,
    )


def _prepare_app(hop: Hop, app: App, name: str, address: Address, executable: str) -> PreparedHop:
    """The user's own program: nothing is generated for it."""
    words = app_command(app, executable, address)
    return PreparedHop(
        name=name,
        program=hop.program,
        version=app.version,
        address=address,
        settings={},
        command=words.command,
        files={},
        forks=True,
        app=app,
        folder=app.folder,
        environment=words.environment,
    )


def _refuse_too_many(where: str, children: int) -> None:
    """UsageError if a program would start more processes than the machine can have: that would bring it down."""
    most = int(PID_MAX.read_text())
    if children >= most:
        raise UsageError(f"{where}: it would start {children:,} processes, and {PID_MAX} allows {most:,}")


def _check_links(where: str, definition: Program, link: Link, upstreams: list[Address]) -> None:
    if link not in definition.links:
        known = ", ".join(known_link.value for known_link in definition.links)
        raise UsageError(f"{where}: {definition.name} cannot be reached over {link.value}", f"it can over {known}")
    if upstreams and Link(upstreams[0].link) not in definition.upstream_links:
        known = ", ".join(known_link.value for known_link in definition.upstream_links)
        hint = f"it can over {known}" if known else f"{definition.name} is an origin: it must be the last hop"
        raise UsageError(f"{where}: {definition.name} does not forward over {upstreams[0].link}", hint)
    if not upstreams and not definition.is_origin:
        raise UsageError(f"{where}: {definition.name} cannot be the last hop: it only forwards")
    if len(upstreams) > 1 and not definition.balances:
        raise UsageError(f"{where}: {definition.name} does not balance: the next hop's copies: expected 1")
