"""The name server's answers, by a query as nginx sends it."""

from __future__ import annotations

import socket
import struct

from hopcost.stacks.jail.names import answer

QUERY = struct.pack("!HHHHHH", 0x1234, 0x0100, 1, 0, 0, 0) + b"\x03app\x05local\0"
A, AAAA = QUERY + struct.pack("!HH", 1, 1), QUERY + struct.pack("!HH", 28, 1)


def test_every_name_is_this_machine() -> None:
    reply = answer(A)
    assert reply is not None
    assert reply[:2] == b"\x12\x34" and struct.unpack_from("!HHH", reply, 2) == (0x8180, 1, 1)
    assert reply[12 : len(A)] == A[12:]
    assert socket.inet_ntoa(reply[-4:]) == "127.0.0.1"


def test_it_has_no_address_of_another_kind() -> None:
    reply = answer(AAAA)
    assert reply is not None and struct.unpack_from("!HH", reply, 4) == (1, 0)
    assert len(reply) == len(AAAA)


def test_what_is_no_query_gets_no_answer() -> None:
    assert answer(b"") is None
    assert answer(A[:20]) is None
    assert answer(A[:2] + b"\x81\x80" + A[4:]) is None
