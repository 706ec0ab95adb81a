"""What a stack consists of on this machine: addresses, settings, command lines, files. It starts nothing.

`hopcost show` prints it; stack.py makes it run.
"""

from __future__ import annotations

import os
from pathlib import Path

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

    It is ready when it has as many `children`; where it `forks` its processes come and go, or are very many. `config`
    is the file that it was given in place of the program's own configuration.
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
    open_files = sandbox_ports.open_files(arm.open_files)
    hop_names = iter(_unique([hop.program for hop in arm.hops for _ in range(hop.copies)]))
    if arm.hops[0].copies > 1:
        first = arm.hops[0].program
        raise UsageError(f"{where}: {first}: copies: the client reaches one", "put a program that balances before them")
    if arm.link_mbit_per_s is not None and arm.hops[0].link.is_unix:
        raise UsageError(
            f"{where}: link_mbit_per_s has no effect: the client reaches {arm.hops[0].program} over a Unix socket",
            "a link with a rate is for an arm that is reached over TCP",
        )
    names = [[next(hop_names) for _ in range(hop.copies)] for hop in arm.hops]
    addresses = [
        _addresses(where, hop, names[number], directory, ports, LOOPBACK if number else front)
        for number, hop in enumerate(arm.hops)
    ]
    prepared = []
    for number, hop in enumerate(arm.hops):
        definition = read.read_program(hop.program)
        upstreams = addresses[number + 1] if number + 1 < len(arm.hops) else []
        _check_links(where, definition, hop.link, upstreams)
        if hop.last_copy and hop.copies == 1:
            raise UsageError(f"{where}: {hop.program}: last_copy: there is one copy", "copies says how many there are")
        for hop_name, address in zip(names[number], addresses[number], strict=True):
            given = hop.given(settings)
            if hop.last_copy and hop_name == names[number][-1]:
                given |= hop.last_copy
            resolved = definition.resolve_settings(given, len(cores.stack), where)
            receipt = installed(hop.program, hop.binary).under(resolved)
            if receipt.path is None or receipt.version is None:
                raise CannotMeasure(f"{where}: {hop.program}: {receipt.missing}", receipt.remedy)
            context = {
                "name": hop_name,
                "executable": receipt.path,
                "directory": str(directory),
                "content": str(CONTENT),
                "files": str(content.large_files_folder()),
                "routes": ROUTES,
                "listen": address,
                "upstream": upstreams[0] if upstreams else None,
                "upstreams": upstreams,
                "settings": resolved,
                "needs": receipt.needs,
                "open_files": open_files,
                "root": os.geteuid() == 0,
            }
            if hop.config is not None and not definition.config:
                raise UsageError(f"{where}: {hop.program}: config: it has no configuration file", "leave `config` out")
            config = None if hop.config is None else Path(hop.config)
            rendered = templates.render(definition, context, config)
            _refuse_too_many(f"{where}: {hop_name}", rendered.children)
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
                    config=hop.config,
                )
            )
    return PreparedStack(arm=name, hops=prepared, cores=cores, open_files=open_files)


def _refuse_too_many(where: str, children: int) -> None:
    """UsageError where a program would start more processes than the machine can have: it would bring it down."""
    most = int(PID_MAX.read_text())
    if children >= most:
        raise UsageError(f"{where}: it would start {children:,} processes, and {PID_MAX} allows {most:,}")


def _addresses(where: str, hop: Hop, names: list[str], directory: Path, ports: Ports, ip: str) -> list[Address]:
    """Where each copy of a hop listens."""
    link = hop.link.value
    if hop.link.is_unix:
        return [Address(link=link, address=str(directory / f"{name}.sock")) for name in names]
    if hop.port is not None and hop.copies > 1:
        raise UsageError(f"{where}: {hop.program}: port: {hop.copies} copies cannot all have port {hop.port}")
    taken = [ports.take() if hop.port is None else ports.claim(hop.port, f"{where}: {hop.program}") for _ in names]
    ca_file = str(directory / CERTIFICATE) if hop.link is Link.HTTPS_TCP else None
    return [Address(link=link, address=f"{ip}:{port}", ca_file=ca_file) for port in taken]


def _unique(programs: list[str]) -> list[str]:
    """Hop names: the program's, with a number where a program stands in the stack more than once."""
    return [
        name if programs.count(name) == 1 else f"{name}-{programs[: number + 1].count(name)}"
        for number, name in enumerate(programs)
    ]


def _check_links(where: str, definition: Program, link: Link, upstreams: list[Address]) -> None:
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
