"""What a stack consists of on this machine: addresses, settings, command lines, files. It starts nothing.

`hopcost show` prints it; stack.py makes it run.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from hopcost.errors import CannotMeasure, UsageError
from hopcost.plan.cores import Cores
from hopcost.programs import content, read, templates
from hopcost.programs.content import CONTENT, ROUTES
from hopcost.programs.definition import Program
from hopcost.programs.receipt import installed
from hopcost.stacks.address import LOOPBACK, Address
from hopcost.stacks.certificate import CERTIFICATE
from hopcost.stacks.sandbox import ports as sandbox_ports
from hopcost.stacks.sandbox.ports import Ports
from hopcost.suites.arm import Arm, Hop, Link, Settings, SettingValue

PID_MAX = Path("/proc/sys/kernel/pid_max")


class PreparedHop(msgspec.Struct):
    """A hop with everything decided: its command line and the files generated for it (name → text).

    It is ready when it has as many `children`. If it `forks`, its processes come and go, or are very many. `config` is
    the file that replaces the program's own configuration.
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


class _Shared(NamedTuple):
    """What all hops of a stack share."""

    where: str
    settings: Settings
    cores: Cores
    directory: Path
    open_files: int


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
    shared = _Shared(f"arm {name}", settings, cores, directory, sandbox_ports.open_files(arm.open_files))
    _check_front(arm, shared.where)
    names = _hop_names(arm)
    addresses = [
        _addresses(shared, hop, names[number], ports, LOOPBACK if number else front)
        for number, hop in enumerate(arm.hops)
    ]
    hops: list[PreparedHop] = []
    for number, hop in enumerate(arm.hops):
        upstreams = addresses[number + 1] if number + 1 < len(addresses) else []
        hops += _prepare_copies(shared, hop, names[number], addresses[number], upstreams)
    return PreparedStack(arm=name, hops=hops, cores=cores, open_files=shared.open_files)


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
    if hop.port is not None and hop.copies > 1:
        raise UsageError(f"{where}: port: {hop.copies} copies cannot all have port {hop.port}")
    numbers = [ports.take() if hop.port is None else ports.claim(hop.port, where) for _ in names]
    ca_file = str(shared.directory / CERTIFICATE) if hop.link is Link.HTTPS_TCP else None
    return [Address(link=link, address=f"{ip}:{number}", ca_file=ca_file) for number in numbers]


def _prepare_copies(
    shared: _Shared, hop: Hop, names: list[str], addresses: list[Address], upstreams: list[Address]
) -> Iterator[PreparedHop]:
    """The copies of one hop, each at its address; all forward to the same `upstreams`."""
    where = f"{shared.where}: {hop.program}"
    _check_links(shared.where, read.read_program(hop.program), hop.link, upstreams)
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
    program = read.read_program(hop.program)
    resolved = program.resolve_settings(settings, len(shared.cores.stack), shared.where)
    receipt = installed(hop.program, hop.binary).under(resolved)
    if receipt.path is None or receipt.version is None:
        raise CannotMeasure(f"{where}: {receipt.missing}", receipt.remedy)
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
    if hop.config is not None and not program.config:
        raise UsageError(f"{where}: config: it has no configuration file", "leave `config` out")
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
