"""Sysctls and the link rate that an arm asks for: whether this machine can give them, and what a link carries."""

from __future__ import annotations

import errno
import select
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.record.contents.evidence import NetworkKind, Surroundings
from hopcost.stacks.sandbox import namespaces
from hopcost.stacks.sandbox.namespaces import BURST_BYTES_LEAST, BURST_S, STACK
from hopcost.stacks.sandbox.network import TRIAL_S, Network
from hopcost.stacks.sandbox.session import Session

LINK_CARRIES_LEAST = 0.8  # of its rate in a plain transfer, heads of packets taken off
LINK_IS_FULL = 0.9  # of the rate, in answers and the heads of their packets
PACKET_BYTES = 1448  # of an answer that a full packet carries
HEAD_BYTES = 90  # around them: TCP with timestamps 32, IP 20, Ethernet 14 and what it needs between packets 24
TRANSFER_S = 0.15  # of sending at the link's rate, to see what it carries


class SurroundingsRequest(msgspec.Struct, frozen=True):
    """What an arm asks of its surroundings."""

    sysctls: dict[str, int | str] = {}
    open_files: int | None = None
    link_mbit_per_s: int | None = None


def why_refused(
    wishes: SurroundingsRequest, network: Network, find_tool: Callable[[str], str | None] = namespaces.tool
) -> tuple[str, str] | None:
    """Why an arm that wishes this cannot run here at all, and the remedy; None if it can.

    Without a namespace net.* sysctls would be the host's, which are left alone.
    """
    refused = [name for name in wishes.sysctls if name.startswith("net.")]
    refused += [f"a link of {wishes.link_mbit_per_s} Mbit/s"] if wishes.link_mbit_per_s is not None else []
    if refused and not network.own:
        return (
            f"{', '.join(refused)}: only in a network namespace of its own, which is not to be had: {network.why}",
            network.remedy,
        )
    tools = [name for name in ("ip", "tc") if find_tool(name) is None]
    if wishes.link_mbit_per_s is not None and tools:
        return (f"a link with a rate: {' and '.join(tools)} not installed", "apt-get install iproute2 (as root)")
    return None


def unavailable_sysctls(sysctls: Mapping[str, int | str]) -> list[str]:
    """Sysctls that are the whole machine's and not as the arm wishes: the host is not changed. One note each."""
    return [
        f"{name} = {value} not applied ({_holds(name)} here): it is the whole machine's, which hopcost does not change"
        for name, value in sysctls.items()
        if not name.startswith("net.") and _holds(name) != str(value)
    ]


def read_surroundings(
    arm: str, wishes: SurroundingsRequest, session: Session, open_files: int, notes: Sequence[str]
) -> Surroundings:
    """What the kernel gave, and notes on what it refused. MeasurementFailed if the link carries nothing."""
    rate, carried = wishes.link_mbit_per_s, None
    notes = [*unavailable_sysctls(wishes.sysctls), *notes]
    notes += [f"{key} = {wishes.sysctls.get(key, 0)}: {why}" for key, why in session.refused.items()]
    if wishes.open_files is not None and open_files < wishes.open_files:
        notes.append(f"open files: {wishes.open_files} asked for, {open_files} given: that is the hard limit here")
    own, client = session.namespace, session.client_namespace
    if rate is not None and own is not None and client is not None:
        try:
            carried = measure_link(own, client, rate)
        except OSError as error:
            raise MeasurementFailed(f"{arm}: the link of {rate} Mbit/s carries nothing: {error}") from error
        if carried < rate * 1_000_000 * LINK_CARRIES_LEAST:
            notes.append(f"the link of {rate} Mbit/s carried less than {LINK_CARRIES_LEAST:.0%} of that alone")
    return Surroundings(
        network=NetworkKind.HOST if own is None else NetworkKind.OWN,
        open_files=open_files,
        sysctls=session.sysctls,
        link_mbit_per_s=rate,
        link_bits_per_s=carried,
        notes=notes,
    )


def with_link_load(surroundings: Surroundings, received_bytes: int, elapsed_ns: int, *, answers: int) -> Surroundings:
    """With a note if the answers filled the link: then throughput is the link's, not the stack's.

    The link also carries the heads of packets: of full ones, and at least one for each answer.
    """
    if surroundings.link_mbit_per_s is None or not elapsed_ns:
        return surroundings
    carried = received_bytes + HEAD_BYTES * max(answers, received_bytes / PACKET_BYTES)
    share = carried * 8e9 / elapsed_ns / (surroundings.link_mbit_per_s * 1_000_000)
    if share < LINK_IS_FULL:
        return surroundings
    note = (
        f"the link of {surroundings.link_mbit_per_s} Mbit/s is full: answers and the heads of their packets take"
        f" {LINK_IS_FULL:.0%} of it or more; throughput is the link's"
    )
    return msgspec.structs.replace(surroundings, notes=[*surroundings.notes, note])


def _holds(name: str) -> str:
    try:
        return " ".join((Path("/proc/sys") / name.replace(".", "/")).read_text().split())
    except OSError:
        return "unknown"


def measure_link(stack: str, client: str, mbit_per_s: int) -> int:
    """Bits per second that a transfer from the stack's namespace to the client's comes to, once the bucket is empty.

    OSError when the two do not reach each other.
    """
    bytes_per_s = mbit_per_s * 125_000
    burst = int(max(BURST_BYTES_LEAST, bytes_per_s * BURST_S))
    ends = time.monotonic() + 10
    with namespaces.inside(stack):
        listener = socket.create_server((STACK, 0))
    with listener:
        with namespaces.inside(client):
            receiver = socket.create_connection(listener.getsockname(), timeout=TRIAL_S)
        sender, _ = listener.accept()
    block, received, began, at_begin = bytes(1 << 16), 0, 0.0, 0
    with sender, receiver:
        sender.setblocking(False)
        receiver.setblocking(False)
        while time.monotonic() < ends:
            readable, writable, _ = select.select([receiver], [sender], [], 1.0)
            if writable:
                sender.send(block)
            if readable:
                received += len(receiver.recv(1 << 18))
                now = time.monotonic()
                if not began and received > 2 * burst:
                    began, at_begin = now, received
                elif began and now - began >= TRANSFER_S:
                    return int((received - at_begin) * 8 / (now - began))
    raise OSError(errno.ETIMEDOUT, "the link carried nothing")
