"""Whether the generator's machine reaches this one where the stacks will listen: tried, not guessed."""

from __future__ import annotations

import socket

from hopcost.errors import CannotMeasure
from hopcost.measure.fleet.ssh.connection import PROHIBITED, Connection


def require_reached(connection: Connection, address: str) -> None:
    """CannotMeasure unless a connection from there reaches this machine's address."""
    name = connection.login.host
    if ":" in address:
        raise CannotMeasure(
            f"{name} reaches this machine at {address}: stacks are loaded over IPv4",
            "name an IPv4 address of this machine: --address ADDRESS",
        )
    try:
        listener = socket.create_server((address, 0))
    except OSError as error:
        raise CannotMeasure(
            f"--address: nothing can listen on {address} here: {error.strerror}", "ip address lists yours"
        ) from error
    with listener:
        why = connection.why_not_reached(address, listener.getsockname()[1])
    if why is None:
        return
    words, kind = why
    if kind == PROHIBITED:
        raise CannotMeasure(
            f"{name}: its SSH server forwards no connections, which the check of answers needs",
            "AllowTcpForwarding yes in its sshd_config, for this user",
        )
    raise CannotMeasure(
        f"{name} does not reach this machine at {address}: {words}",
        "open its firewall, or name another address of this machine: --address ADDRESS",
    )
