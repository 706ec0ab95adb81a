"""What a stack consists of on this machine. It starts nothing.

`hopcost show` prints it; ../running/stack.py makes it run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from hopcost.plan.cores import Cores
from hopcost.stacks.app.needs import services_of
from hopcost.stacks.client.address import LOOPBACK, Address
from hopcost.stacks.prepare.addresses import addresses_of_configuration, addresses_of_hop, names_of_copies
from hopcost.stacks.prepare.fit import check_front
from hopcost.stacks.prepare.hop import prepare_copies
from hopcost.stacks.prepare.prepared import PreparedHop, PreparedStack, Shared
from hopcost.stacks.sandbox import ports as sandbox_ports
from hopcost.stacks.sandbox.ports import Ports
from hopcost.suites.arms.arm import Arm, Settings


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
    shared = Shared(f"arm {name}", settings, cores, directory, open_files, frozenset(reserved))
    check_front(arm, shared.where)
    names = names_of_copies(arm)
    addresses = [
        addresses_of_hop(shared, hop, names[number], ports, LOOPBACK if number else front)
        for number, hop in enumerate(arm.hops)
    ]
    if arm.hops[0].configuration is not None:
        addresses = addresses_of_configuration(arm, arm.hops[0].configuration, names, shared.directory, front)
    return _prepare_at(name, arm, shared, names, addresses)


def prepare_at_own_addresses(
    prepared: PreparedStack, arm: Arm, settings: Settings, directory: Path, addresses: Mapping[str, Address]
) -> PreparedStack:
    """The prepared stack, once more, with other addresses of these hops: the hops before them are told."""
    shared = Shared(f"arm {prepared.arm}", settings, prepared.cores, directory, prepared.open_files)
    started = {hop.name: hop for hop in prepared.hops}
    decided = {name: hop.address for name, hop in started.items()} | dict(addresses)
    names = names_of_copies(arm)
    again = _prepare_at(prepared.arm, arm, shared, names, [[decided[name] for name in copies] for copies in names])
    for number, hop in enumerate(again.hops):
        if hop.name in addresses:  # it runs with the words that it was given
            again.hops[number] = msgspec.structs.replace(started[hop.name], address=hop.address)
    return again


def _prepare_at(
    name: str, arm: Arm, shared: Shared, names: list[list[str]], addresses: list[list[Address]]
) -> PreparedStack:
    """The stack whose hops' copies have these names and addresses."""
    hops: list[PreparedHop] = []
    for number, hop in enumerate(arm.hops):
        upstreams = addresses[number + 1] if number + 1 < len(addresses) else []
        hops += prepare_copies(shared, hop, names[number], addresses[number], upstreams)
    return PreparedStack(arm=name, hops=hops, cores=shared.cores, open_files=shared.open_files)
