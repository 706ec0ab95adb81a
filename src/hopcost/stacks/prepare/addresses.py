"""Where each hop of a stack listens, and what its copies are called."""

from __future__ import annotations

import itertools
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.stacks.client.address import Address
from hopcost.stacks.jail.prepare import front_address, next_address
from hopcost.stacks.prepare.certificate import CERTIFICATE
from hopcost.stacks.prepare.prepared import Shared
from hopcost.stacks.sandbox.ports import Ports
from hopcost.suites.arms.arm import Arm, Hop
from hopcost.suites.arms.configuration import Configuration


def names_of_copies(arm: Arm) -> list[list[str]]:
    """The names of each hop's copies: the program's, with a number if it stands in the stack more than once."""
    programs = [hop.program for hop in arm.hops for _ in range(hop.copies)]
    names = (
        name if programs.count(name) == 1 else f"{name}-{programs[: number + 1].count(name)}"
        for number, name in enumerate(programs)
    )
    return [list(itertools.islice(names, hop.copies)) for hop in arm.hops]


def addresses_of_hop(shared: Shared, hop: Hop, names: list[str], ports: Ports, ip: str) -> list[Address]:
    """Where each copy of a hop listens."""
    link, where = hop.link.value, f"{shared.where}: {hop.program}"
    if hop.link.is_unix:
        return [Address(link=link, address=str(shared.directory / f"{name}.sock")) for name in names]
    port = hop.fixed_port
    if port is not None and hop.copies > 1:
        raise UsageError(f"{where}: port: {hop.copies} copies cannot all have port {port}", "leave port out")
    free = (number for number in iter(ports.take, None) if number not in shared.reserved)
    numbers = [next(free) if port is None else ports.claim(port, where) for _ in names]
    ca_file = str(shared.directory / CERTIFICATE) if hop.link.is_tls else None
    return [Address(link=link, address=f"{ip}:{number}", ca_file=ca_file) for number in numbers]


def addresses_of_configuration(
    arm: Arm, configuration: Configuration, names: list[list[str]], directory: Path, front: str
) -> list[list[Address]]:
    """Where the user's own configuration listens, and where it looks for the hop after it."""
    addresses = [[front_address(arm.hops[0], configuration, front, directory)]]
    for hop, (name, *_) in zip(arm.hops[1:], names[1:], strict=True):
        addresses.append([next_address(configuration, hop, directory / f"{name}.sock")])
    return addresses
