"""Which connects were refused in a stack's network namespace: an app that misses its database tells so by them.

A packet socket on the namespace's loopback sees each reset that answers a connect to a port where nobody listens.
It takes no tracing of the app, and costs nothing while there is none: the kernel filters (BPF) all other packets out.

What it cannot see: names that cannot be resolved, hosts of other networks (a namespace has no way to them, so no packet
is sent), Unix sockets, and what happened before it was opened.
"""

from __future__ import annotations

import ctypes
import socket
import struct
from collections.abc import Collection, Iterator
from ipaddress import ip_address
from types import TracebackType

from hopcost.machine.network_namespace import inside

ALL_PROTOCOLS = 3  # ETH_P_ALL
ATTACH_FILTER = 26  # SO_ATTACH_FILTER
PACKET_BYTES = 256  # a reset has no data
RESET, ACKNOWLEDGES = 0x04, 0x10  # flags of TCP
TCP = socket.IPPROTO_TCP
IPV6_HEAD_BYTES, TCP_HEAD_BYTES = 40, 20
LOOPBACK_6, LOOPBACK_4 = "::1", "127.0.0.1"

# Instructions: code, where to jump if true and if false, operand.
LOAD_BYTE, LOAD_BYTE_BEHIND, LOAD_PORT_BEHIND = 0x30, 0x50, 0x48
HEAD_BYTES, IPV4_HEAD_BYTES = 0x01, 0xB1
AND, JUMP, IF_EQUAL, IF_ANY_BIT, RETURN = 0x54, 0x05, 0x15, 0x45, 0x06
TO_TCP = (
    (LOAD_BYTE, 0, 0, 0),
    (AND, 0, 0, 0xF0),
    (IF_EQUAL, 0, 4, 0x40),  # IPv4, else to the eighth
    (LOAD_BYTE, 0, 0, 9),
    (IF_EQUAL, 0, 5, TCP),
    (IPV4_HEAD_BYTES, 0, 0, 0),
    (JUMP, 0, 0, 5),
    (IF_EQUAL, 0, 2, 0x60),  # IPv6
    (LOAD_BYTE, 0, 0, 6),
    (IF_EQUAL, 1, 0, TCP),
    (RETURN, 0, 0, 0),
    (HEAD_BYTES, 0, 0, IPV6_HEAD_BYTES),
)  # what follows loads from behind the IP header
INSTRUCTION = struct.Struct("=HBBI")


def filter_of(but_ports: Collection[int]) -> list[tuple[int, int, int, int]]:
    """The filter's instructions: resets pass, but for those from these ports.

    They are filtered here, not later: what waits to be read has little room, and an app that takes a second to listen
    refuses hopcost hundreds of times.
    """
    ports = list(but_ports)
    return [
        *TO_TCP,
        (LOAD_BYTE_BEHIND, 0, 0, 13),
        (IF_ANY_BIT, 0, len(ports) + 2, RESET),
        (LOAD_PORT_BEHIND, 0, 0, 0),
        *((IF_EQUAL, len(ports) - place, 0, port) for place, port in enumerate(ports)),
        (RETURN, 0, 0, PACKET_BYTES),
        (RETURN, 0, 0, 0),
    ]


class RefusedConnections:
    """Refused connects in the namespace of this file, from when it is entered on.

    Without a namespace (None), or the right to listen on packets there, it sees nothing, and `why_blind` says so.
    `but_ports` are left out: those that hopcost itself tries until an app listens.
    """

    def __init__(self, namespace: str | None, but_ports: Collection[int] = ()) -> None:
        self.why_blind: str | None = None
        self._namespace = namespace
        self._but_ports = but_ports
        self._packets: socket.socket | None = None
        self._destinations: dict[tuple[str, int], None] = {}

    def __enter__(self) -> RefusedConnections:
        if self._namespace is None:
            self.why_blind = "the stack has no network namespace of its own"
            return self
        try:
            with inside(self._namespace):
                self._packets = _open_packets(filter_of(self._but_ports))
        except OSError as error:
            self.why_blind = f"packets cannot be listened to there: {error}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._drain()
        if self._packets is not None:
            self._packets.close()
            self._packets = None

    def read(self) -> list[tuple[str, int]]:
        """Address and port of each refused destination so far, once each, in the order of their first refusal."""
        self._drain()
        return merge_loopbacks(list(self._destinations))

    def _drain(self) -> None:
        for packet in _waiting(self._packets):
            destination = refused_by(packet)
            if destination is not None:
                self._destinations[destination] = None


def _open_packets(instructions: list[tuple[int, int, int, int]]) -> socket.socket:
    """A socket that gets what passes this filter on loopback, from the network layer on."""
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)  # protocol 0: nothing comes before the filter is on
    try:
        program = b"".join(INSTRUCTION.pack(*instruction) for instruction in instructions)
        kept = ctypes.create_string_buffer(program, len(program))
        packets.setsockopt(
            socket.SOL_SOCKET, ATTACH_FILTER, struct.pack("HP", len(instructions), ctypes.addressof(kept))
        )
        packets.setblocking(False)
        packets.bind(("lo", ALL_PROTOCOLS))
    except BaseException:
        packets.close()
        raise
    return packets


def _waiting(packets: socket.socket | None) -> Iterator[bytes]:
    while packets is not None:
        try:
            yield packets.recv(PACKET_BYTES)
        except BlockingIOError:
            return


def refused_by(packet: bytes) -> tuple[str, int] | None:
    """The destination that refused a connect, out of a packet from its IP header on; None for any other packet.

    A reset that answers a connect has the sequence number 0 and acknowledges. One that breaks a connection off does
    not have both.
    """
    version = packet[0] >> 4 if packet else 0
    if version == 4 and len(packet) >= 20 and packet[9] == TCP:
        head_bytes, source = (packet[0] & 0x0F) * 4, packet[12:16]
    elif version == 6 and len(packet) >= IPV6_HEAD_BYTES and packet[6] == TCP:
        head_bytes, source = IPV6_HEAD_BYTES, packet[8:24]
    else:
        return None
    if len(packet) < head_bytes + TCP_HEAD_BYTES:
        return None
    port, _, sequence, _, _, flags = struct.unpack_from("!HHIIBB", packet, head_bytes)
    is_refusal = flags & (RESET | ACKNOWLEDGES) == RESET | ACKNOWLEDGES and sequence == 0
    return (str(ip_address(source)), port) if is_refusal else None


def merge_loopbacks(destinations: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """A client that tries `localhost` over both families is told once, with the IPv4 address.

    >>> merge_loopbacks([("::1", 5432), ("127.0.0.1", 5432), ("::1", 6379)])
    [('127.0.0.1', 5432), ('::1', 6379)]
    """
    both = {port for address, port in destinations if address == LOOPBACK_4}
    merged = [
        (LOOPBACK_4 if address == LOOPBACK_6 and port in both else address, port) for address, port in destinations
    ]
    return list(dict.fromkeys(merged))
